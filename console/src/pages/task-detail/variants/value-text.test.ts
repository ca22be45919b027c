import i18next, { type TFunction } from 'i18next';
import { changeLanguage, startI18n } from '../../../i18n/i18n.ts';
import type { VariantColumn } from '../../../queries/results.ts';
import type { FieldFilter } from './use-variant-url.ts';
import { filterWords, valueText } from './value-text.ts';

let en: TFunction;
let zh: TFunction;
beforeAll(async () => {
  await startI18n('en');
  await changeLanguage('zh');
  en = i18next.getFixedT('en');
  zh = i18next.getFixedT('zh');
});

test.each([
  [
    'consequence',
    'missense_variant&splice_region_variant',
    'missense variant, splice region variant',
    '错义变异, 剪接区变异',
  ],
  ['clinical_significance', 'Uncertain_significance', 'Uncertain significance', '意义不明确'],
  ['clinical_significance', 'Pathogenic/Likely_pathogenic', 'Pathogenic, Likely pathogenic', '致病, 可能致病'],
  ['clinical_significance', 'no_such_term', 'no such term', 'no such term'],
  ['somatic', 'germline', 'germline', '胚系'],
  ['called', 'true', 'yes', '是'],
  ['gene', 'HLA_A/B', 'HLA_A/B', 'HLA_A/B'],
])('the value of %s, %s, has words in both languages', (column, value, english, chinese) => {
  expect([valueText(en, column, value), valueText(zh, column, value)]).toEqual([english, chinese]);
});

const chips: [FieldFilter, VariantColumn['type'], string][] = [
  [{ field: 'vaf', min: 0.05 }, 'fraction', '≥ 5.00 %'],
  [{ field: 'depth', max: 0 }, 'integer', '≤ 0'],
  [{ field: 'quality', min: 20, max: 40 }, 'number', '20 – 40'],
  [{ field: 'impact', values: ['HIGH', 'LOW'] }, 'choice', 'High, Low'],
];

test.each(chips)('the chip of the filter %j shows the filter in words', (filter, type, words) => {
  expect(filterWords(en, filter, type)).toBe(words);
});
