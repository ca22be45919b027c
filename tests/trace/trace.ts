/**
 * npm run trace: the requirements of tests/requirements.tsv and the tests whose titles carry their ids as `[LAUNCH-14]`.
 * Fails on an id that is not in the list. Prints a line per area, or each requirement with its tests (--rows), or only
 * what is wrong (--check).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const FILES = ['*.test.ts', '*.test.tsx', 'tests/kubernetes-contract/contract/*.ts'];

/** A test title with its requirement ids. */
export interface Named {
  file: string;
  title: string;
  ids: string[];
}

export interface Requirement {
  id: string;
  area: string;
  text: string;
}

/** Finds strings that begin with `[AB-01] [AB-02]`: titles, and the cases of test.each that fill in titles. */
export function idsInTitles(file: string, text: string): Named[] {
  const marked = /(['"`])(\[[A-Z0-9]+-\d+\](?:\\.|(?!\1)[^\n])*)\1/g;
  return [...text.matchAll(marked)].map(([, , title]) => {
    const ids = [...title!.matchAll(/\[([A-Z0-9]+-\d+)\]/g)].map(([, id]) => id!);
    return { file, title: title!, ids };
  });
}

export const isScreenTest = (file: string): boolean => /^(console|tests\/browser)\//.test(file);

/** Lines of a table: per area, requirements with a test, with a screen test, without a test, and the ids of these. */
export function areaLines(requirements: Requirement[], byId: ReadonlyMap<string, Named[]>): string[] {
  const testsOf = ({ id }: Requirement): Named[] => byId.get(id) ?? [];
  const lineOf = (name: string, rows: Requirement[], isListed = true): string => {
    const open = rows.filter((row) => testsOf(row).length === 0);
    const screen = rows.filter((row) => testsOf(row).some(({ file }) => isScreenTest(file)));
    const counts = [rows.length - open.length, screen.length, open.length];
    const ids = isListed ? open.map(({ id }) => id) : [];
    return [name.padEnd(8), ...counts.map((count) => `${count}`.padStart(8)), '  ', ids.join(' ')].join('').trimEnd();
  };
  const areas = [...new Set(requirements.map(({ area }) => area))];
  return [
    `area    ${['proven', 'screen', 'open'].map((head) => head.padStart(8)).join('')}`,
    ...areas.map((name) => {
      const rows = requirements.filter(({ area }) => area === name);
      return lineOf(name, rows);
    }),
    lineOf('all', requirements, false),
  ];
}

export function main(args: string[]): number {
  const requirements = readFileSync(join(root, 'tests', 'requirements.tsv'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .map(([id, area, text]): Requirement => ({ id: id!, area: area!, text: text! }));
  const known = new Set(requirements.map(({ id }) => id));
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', ...FILES];
  const named = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .flatMap((file) => idsInTitles(file, readFileSync(join(root, file), 'utf8')));
  const unknown = named.flatMap(({ file, title, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => `${file}: [${id}] is not in requirements.tsv: "${title}"`),
  );
  const byId = new Map<string, Named[]>();
  for (const test of named) for (const id of new Set(test.ids)) byId.set(id, [...(byId.get(id) ?? []), test]);
  if (args.includes('--rows'))
    for (const { id, text } of requirements) {
      const tests = byId.get(id) ?? [];
      console.log(`${id}\t${tests.length}\t${text}`);
      for (const test of tests) console.log(`\t\t${test.file}: ${test.title}`);
    }
  else if (!args.includes('--check')) console.log(areaLines(requirements, byId).join('\n'));
  for (const line of unknown) console.error(line);
  return unknown.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) process.exit(main(process.argv.slice(2)));
