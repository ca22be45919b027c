import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_KEYS } from '@seqpanel/crds/outputs/catalogue.ts';
import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import { texts as en } from './en/index.ts';
import { texts as zh } from './zh/index.ts';

type Texts = { [key: string]: string | Texts };

/** Every text with its path, as `common.save`. */
function flat(texts: object, path = ''): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(texts as Texts)) {
    if (typeof value === 'string') all.set(path + key, value);
    else for (const [inner, text] of flat(value, `${path}${key}.`)) all.set(inner, text);
  }
  return all;
}

const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
const english = flat(en);
const chinese = flat(zh);

describe('the texts', () => {
  test('[I18N-01] every English text has a Chinese one, and the other way round', () => {
    expect([...english.keys()].filter((key) => !chinese.has(key))).toEqual([]);
    expect([...chinese.keys()].filter((key) => !english.has(key))).toEqual([]);
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

  test('a text names the same places in both languages', () => {
    const different = [...english].filter(
      ([key, text]) => chinese.has(key) && places(chinese.get(key) as string).join() !== places(text).join(),
    );
    expect(different.map(([key]) => key)).toEqual([]);
  });

  test('every file that a task writes has its line', () => {
    expect(Object.keys(en.output.meanings).sort()).toEqual([...FILE_KEYS].sort());
  });

  test('no text is empty', () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test.each(['en', 'zh'])('every file in locales/%s is part of the texts', (language) => {
    const files = readdirSync(join(__dirname, language)).filter(
      (file) => file.endsWith('.json') && file !== 'error-codes.json',
    );
    const plain = (name: string) => name.replace('.json', '').replaceAll('-', '_');
    expect(files.map(plain).sort()).toEqual(Object.keys(en).map(plain).sort());
  });
});
