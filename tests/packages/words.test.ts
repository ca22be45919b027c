import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Turns of phrase that a reader has to read twice, each with the words that replace it. */
const AVOIDED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be|been) told\b/gi, 'is reported, is logged, learns'],
  [/\bstands?\b(?! (?:for|by|in for|alone)\b)/gi, 'is'],
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
];

/** Documents that are not part of the repository. Cite a requirement id, an ADR, a paper or a manual instead. */
const UNKNOWN_DOCUMENTS =
  /\b(?:SPEC|DESIGN|SCREENS|FIELD|STYLE|VOICE)(?:\.md| \d|[,;)]| section| of )|\bOUTPUTS\.md\b/g;

/** Hits that each package may still have. Lower a number when hits are removed, never raise it. */
const ALLOWED: Readonly<Record<string, number>> = {
  api: 83,
  console: 99,
  crds: 11,
  operator: 40,
  'pipeline-images': 3,
};

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{},)])\/\/.*$/gm;
const SELF = 'tests/packages/words.test.ts';

/** Returns the text that people read: comments of sources, whole pages, texts and templates. */
function textOf(path: string): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const isSource = /\.(?:tsx?|mjs)$/.test(path) && path !== 'crds/src/messages.ts';
  return isSource ? [...text.matchAll(COMMENT)].map(([comment]) => comment).join('\n') : text;
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

const packages = [...new Set(files.map((path) => (path.includes('/') ? path.split('/')[0]! : '.')))].sort();

describe('plain words', () => {
  test.each(packages)('%s has no more avoided words than allowed', (name) => {
    const hits = files.filter((path) => (path.includes('/') ? path.split('/')[0] : '.') === name).flatMap(hitsOf);
    expect(hits.length > (ALLOWED[name] ?? 0) ? hits : []).toEqual([]);
  });
});
