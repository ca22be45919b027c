import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Turns of phrase that a reader has to read twice, each with the words that replace it. */
const AVOIDED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be|been|being) told\b|\btold (?:of|to|under|apart|by)\b/gi, 'is reported, is logged, learns'],
  [/\btells? (?:of|us)\b/gi, 'records, reports'],
  [/\b(?:stands?|stood)\b(?! (?:for|by|in for|alone)\b)/gi, 'is'],
  [/\blies\b/gi, 'is'],
  [/\bgo(?:es)? on\b/gi, 'continues, resumes'],
  [/\banew\b/gi, 'again'],
  [/\bcomes? to (?:its|their|an) end\b/gi, 'ends'],
  [/\bends? before (?:its|their) end\b/gi, 'is truncated'],
  [/\bwhat (?:is|are) to be\b/gi, 'name the thing'],
  [/\b(?:is|are) repeated (?:soon|until)\b|; it is repeated\b/gi, 'is retried'],
  [/\bhas got\b/gi, 'has'],
  [/\b(?:whoever|that which)\b/gi, 'name the person or thing'],
  [/\btakes up (?:what|again)\b/gi, 'resumes'],
  [/\bas if nothing had happened\b/gi, 'as undisturbed'],
  [/\b(?:under way|at all events|all the same|let go)\b/gi, 'is running, in any case, anyway, is released'],
];

/** Documents that are not part of the repository. Cite a requirement id, an ADR, a paper or a manual instead. */
const UNKNOWN_DOCUMENTS =
  /\b(?:SPEC|DESIGN|SCREENS|FIELD|STYLE|VOICE)(?:\.md| \d|[,;)]| section| of )|\bOUTPUTS\.md\b/g;

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{},)])\/\/.*$/gm;
const TITLE = /(?:\b(?:test|describe)[\w.]*(?:\([\w.]*\))?|\]\))\(\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`]*`)/g;
const LOG = /\blog(?:ger)?\??\.(?:trace|debug|info|warn|error|fatal)\([\s\S]*?\);/g;
const SELF = 'tests/packages/words.test.ts';

/** Returns the text that people read: comments, test titles and log calls of sources, and whole pages and texts. */
function textOf(path: string): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  if (!/\.(?:tsx?|mjs)$/.test(path) || path === 'crds/src/messages.ts') return text;
  return [COMMENT, TITLE, LOG].flatMap((pattern) => text.match(pattern) ?? []).join('\n');
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== SELF && existsSync(join(ROOT, path)))
  .filter((path) =>
    /\.(?:tsx?|mjs|md)$|^console\/src\/locales\/en\/.*\.json$|^(?:crds\/yaml|helm|api\/openapi)\/.*\.(?:yaml|tpl|txt)$/.test(
      path,
    ),
  );

function hitsOf(path: string): string[] {
  const text = textOf(path);
  const words = AVOIDED.flatMap(([pattern, better]) =>
    [...text.matchAll(pattern)].map(([hit]) => `${path}: "${hit}" (better: ${better})`),
  );
  const documents = [...text.matchAll(UNKNOWN_DOCUMENTS)].map(([hit]) => `${path}: cites "${hit}"`);
  return [...words, ...documents];
}

const packageOf = (path: string): string => (path.includes('/') ? path.split('/')[0]! : '.');

test.each([...new Set(files.map(packageOf))].sort())('%s has no avoided words', (name) => {
  expect(files.filter((path) => packageOf(path) === name).flatMap(hitsOf)).toEqual([]);
});
