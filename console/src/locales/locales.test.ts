import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTENTION } from '@seqpanel/crds/attention.ts';
import { CALL_FILTERS } from '@seqpanel/crds/outputs/call.ts';
import { FILE_KEYS } from '@seqpanel/crds/outputs/catalogue.ts';
import { QC_METRICS } from '@seqpanel/crds/outputs/qc.ts';
import { READS_METRICS } from '@seqpanel/crds/outputs/reads.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { FAILURE_CODES, STEP_REASONS, WAITING_REASONS } from '@seqpanel/crds/task-reasons.ts';
import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import { texts as en } from './en/index.ts';
import { texts as zh } from './zh/index.ts';

type Texts = { [key: string]: string | Texts };

/** Maps the path of every text, as `common.save`, to the text. */
function flat(texts: object, path = ''): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(texts as Texts)) {
    if (typeof value === 'string') all.set(path + key, value);
    else for (const [inner, text] of flat(value, `${path}${key}.`)) all.set(inner, text);
  }
  return all;
}

/** A key without its plural form: Chinese has one form (`_other`) where English has two. */
const plain = (key: string) => key.replace(/_(one|other)$/, '');
const places = (text: string) => [...text.matchAll(/\{(\w+)(?:, number)?\}/g)].map(([, name]) => name).sort();
const english = flat(en);
const chinese = flat(zh);

describe('the texts', () => {
  test('[I18N-01] every English text has a Chinese one, and the other way round', () => {
    const [ours, theirs] = [english, chinese].map((texts) => [...new Set([...texts.keys()].map(plain))].sort());
    expect(theirs).toEqual(ours);
    const plurals = [...english.keys()].filter((key) => key.endsWith('_one'));
    expect(plurals.length).toBeGreaterThan(20);
    expect(plurals.filter((key) => !english.has(`${plain(key)}_other`))).toEqual([]);
  });

  test('every use of a text with plural forms passes a count', () => {
    const root = join(__dirname, '..');
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const plurals = new Set([...english.keys()].filter((key) => key.endsWith('_other')).map(plain));
    const uses = [...sources.matchAll(/\bt\(\s*'([\w.-]+)'(?:,\s*\{([^}]*)\})?/g)].filter(([, key]) =>
      plurals.has(key as string),
    );
    expect(uses.length).toBeGreaterThan(20);
    expect(uses.filter(([, , values]) => !/\bcount\b/.test(values ?? '')).map(([, key]) => key)).toEqual([]);
  });

  test('[I18N-04] every code of the error catalogue has a text in en and zh', () => {
    const codes = Object.keys(en.errors.codes);
    expect(codes.length).toBeGreaterThan(100);
    const translated: Record<string, string> = zh.errors.codes;
    expect(codes.filter((code) => !translated[code])).toEqual([]);
  });

  test('every column of the variant table has a header in en and zh', () => {
    const missing = VARIANT_COLUMNS.map(({ key }) => `variants.column.${key}`).filter(
      (path) => !english.has(path) || !chinese.has(path),
    );
    expect(missing).toEqual([]);
  });

  test('every QC metric has a name in en and zh, every variant column has its help', () => {
    const keys = [
      ...Object.keys({ ...READS_METRICS, ...QC_METRICS }).map((metric) => `qc.metric.${metric}`),
      ...VARIANT_COLUMNS.map(({ key }) => `variants.help.${key}`),
    ];
    expect(keys.filter((key) => !english.has(key) || !chinese.has(key))).toEqual([]);
  });

  test('a text has the same placeholders in both languages', () => {
    const different = [...english].filter(([key, text]) => {
      const translated = chinese.get(key) ?? chinese.get(`${plain(key)}_other`);
      return translated !== undefined && places(translated).join() !== places(text).join();
    });
    expect(different.map(([key]) => key)).toEqual([]);
  });

  test('every file that a task writes has a text', () => {
    expect(Object.keys(en.output.meanings).sort()).toEqual([...FILE_KEYS].sort());
  });

  test.each([
    ['en', en],
    ['zh', zh],
  ])('every code that needs attention has a text in %s, which names what the code carries', (_language, texts) => {
    const named = Object.entries(texts.task_detail.attention_of).map(([code, text]) => [code, places(text)]);
    expect(Object.fromEntries(named)).toEqual(
      // `failure` only selects the text of the reason.
      Object.fromEntries(
        Object.entries<readonly string[]>(ATTENTION).map(([code, params]) => [
          code,
          params.filter((name) => name !== 'failure').toSorted(),
        ]),
      ),
    );
  });

  test.each([
    ['en', en],
    ['zh', zh],
  ])('every failure and every reason to wait that the operator writes has a text in %s', (_language, texts) => {
    expect(Object.keys(texts.task_detail.failure_of)).toEqual(expect.arrayContaining([...FAILURE_CODES]));
    const { admitted, queued, running, completed, aborted, restored, queueWait, ...blocking } = REASON;
    const reasons = [...new Set([...Object.values(blocking), ...WAITING_REASONS, ...STEP_REASONS])];
    expect(Object.keys(texts.tasks.reason_of).sort()).toEqual(reasons.sort());
  });

  test.each([
    ['en', en],
    ['zh', zh],
  ])('every reason against a call has a text in %s, and no other code has one', (_language, texts) => {
    expect(Object.keys(texts.variants.filter)).toEqual(Object.keys(CALL_FILTERS));
  });

  test('no text is empty', () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test.each(['en', 'zh'])('every file in locales/%s is part of the texts', (language) => {
    const files = readdirSync(join(__dirname, language)).filter(
      (file) => file.endsWith('.json') && file !== 'error-codes.json',
    );
    const page = (name: string) => name.replace('.json', '').replaceAll('-', '_');
    expect(files.map(page).sort()).toEqual(Object.keys(en).map(page).sort());
  });
});
