/** The import graph: packages import downwards, and so do the rooms (first-level folders) of a package. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const IMPORT = /\b(?:from|import)\s*\(?\s*'([^'\n]+)'/g;

/** Returns the imported files of each source file below a folder, without tests and generated code. */
function importsBelow(folder: string): [file: string, imported: string][] {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).filter(
    (file) => !/\.test\.|\/(testing|test-support|generated|node_modules)\//.test(file),
  );
  return files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)]
      .map(([, name]) => name!)
      .filter((name) => /^(\.|@seqpanel\/)/.test(name) && !/\/generated[/.]/.test(name))
      .map((name): [string, string] => [
        file,
        name.startsWith('.') ? normalize(join(dirname(file), name)) : name.replace('@seqpanel/', ''),
      ]),
  );
}

/** Returns a circle of the graph, or undefined. */
function circleIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(room)) return [...path.slice(path.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const next of arrows.get(room) ?? []) {
      const circle = visit(next, [...path, room]);
      if (circle) return circle;
    }
    done.add(room);
    return undefined;
  };
  for (const room of arrows.keys()) {
    const circle = visit(room, []);
    if (circle) return circle;
  }
  return undefined;
}

test.each(['api/src', 'operator/src', 'console/src', 'pipeline-images/src', 'crds/src'])(
  'no rooms of %s import each other in a circle',
  (folder) => {
    const roomOf = (path: string): string | undefined => path.slice(folder.length + 1).match(/^([^/]+)\//)?.[1];
    const arrows = new Map<string, Set<string>>();
    for (const [file, imported] of importsBelow(folder)) {
      const [from, to] = [roomOf(file), imported.startsWith(`${folder}/`) ? roomOf(imported) : undefined];
      if (from && to && from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
    expect(circleIn(arrows)).toBeUndefined();
  },
);

test.each([
  ['crds/src', []],
  ['operator/src', ['crds']],
  ['api/src', ['crds']],
  ['console/src', ['crds']],
  ['pipeline-images/src', ['crds']],
])('%s imports no package but %j', (folder, allowed: string[]) => {
  const own = folder.split('/')[0]!;
  const packages = importsBelow(folder).map(([, imported]) => imported.split('/')[0]!);
  expect([...new Set(packages)].filter((name) => name !== own).sort()).toEqual(allowed);
});
