import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && existsSync(join(ROOT, page)));

/** Returns the targets of a page's relative links, without their anchors. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) =>
    /^[a-z]+:|^#/.test(target!) ? [] : [target!.replace(/#.*$/, '')],
  );

/** Returns the paths below a package that a page names in backticks. Placeholders and patterns are no paths. */
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`((?:crds|operator|api|console|pipeline-images|helm|scripts|tests|docs|src)\/[^`\s]+)`/g)].flatMap(
    ([, path]) => (/[<>{}*$]|[A-Z]{3,}$|generated/.test(path!) ? [] : [path!]),
  );

test('every relative link of a page points to a file that exists', () => {
  const broken = pages.flatMap((page) =>
    linksOf(readFileSync(join(ROOT, page), 'utf8'))
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});

test('every path of the repository that a page names exists', () => {
  const broken = pages.flatMap((page) =>
    pathsOf(readFileSync(join(ROOT, page), 'utf8'))
      .filter((path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, dirname(page), path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(broken).toEqual([]);
});
