/**
 * npm run trace: for every requirement of tests/requirements.tsv, the tests whose titles carry its id as `[LAUNCH-14]`.
 * Fails on an id that is not in the list. With --check it prints only what is wrong.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A test title with the ids it carries. */
export interface Named {
  file: string;
  title: string;
  ids: string[];
}

/** Finds `test('[AB-01] [AB-02] …'`, also with test.each and template strings, in one file's text. */
export function idsInTitles(file: string, text: string): Named[] {
  const found: Named[] = [];
  const call =
    /\b(?:test|it|describe)(?:\.\w+)*(?:\([^()]*\)|\(\[[\s\S]*?\]\))?\s*\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;
  for (const match of text.matchAll(call)) {
    const ids = [...match[2]!.matchAll(/\[([A-Z0-9]+-\d+)\]/g)].map((m) => m[1]!);
    if (ids.length > 0) found.push({ file, title: match[2]!, ids });
  }
  return found;
}

export function main(args: string[]): number {
  const requirements = readFileSync(join(root, 'tests', 'requirements.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
  const known = new Set(requirements.map(([id]) => id));
  const files = execFileSync(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '*.test.ts',
      '*.test.tsx',
      'tests/kubernetes-contract/contract/*.ts',
    ],
    { cwd: root, encoding: 'utf8' },
  ).split('\n');
  const named = files
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .flatMap((file) => idsInTitles(file, readFileSync(join(root, file), 'utf8')));
  const unknown = named.flatMap((test) =>
    test.ids
      .filter((id) => !known.has(id))
      .map((id) => `${test.file}: [${id}] is not in requirements.tsv: "${test.title}"`),
  );
  const byId = new Map<string, Named[]>();
  for (const test of named) for (const id of test.ids) byId.set(id, [...(byId.get(id) ?? []), test]);
  if (!args.includes('--check')) {
    for (const [id, , text] of requirements) {
      const tests = byId.get(id!) ?? [];
      console.log(`${id}\t${tests.length}\t${text}`);
      for (const test of tests) console.log(`\t\t${test.file}: ${test.title}`);
    }
    console.log(`${byId.size} of ${known.size} requirements are named by a test`);
  }
  for (const line of unknown) console.error(line);
  return unknown.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exit(main(process.argv.slice(2)));
