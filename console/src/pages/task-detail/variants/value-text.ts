import type { TFunction } from 'i18next';
import type { VariantColumn } from '../../../queries/results.ts';
import type { FieldFilter } from './use-variant-url.ts';
import { percent, small } from './variant-format.ts';

/** Text keys of a column's values. `called` and `pass` share the texts of yes and no. */
const TEXTS: Readonly<Record<string, string>> = {
  consequence: 'value.consequence',
  clinical_significance: 'value.clinical_significance',
  somatic: 'value.somatic',
  called: 'value.boolean',
  pass: 'value.boolean',
  impact: 'impact',
  zygosity: 'zygosity',
  filter: 'filter',
};

/**
 * Returns the value of a column in the language of the page. Terms joined by `&`, `/` or `|` are translated one by one;
 * a term without a text is shown with spaces for underscores.
 */
export function valueText(t: TFunction, column: string, value: string): string {
  const place = TEXTS[column];
  if (!place) return value;
  const translate = t as unknown as (key: string, options: object) => string;
  return value
    .split(/[&/|]/)
    .map((term) => translate(`variants.${place}.${term}`, { defaultValue: term.replaceAll('_', ' ') }))
    .join(', ');
}

/** Returns the condition of a filter in words: its values, or its range ("≥ 5.00 %"). */
export function filterWords(t: TFunction, filter: FieldFilter, type: VariantColumn['type'] | undefined): string {
  if (filter.values) return filter.values.map((value) => valueText(t, filter.field, value)).join(', ');
  const text = (value: number): string => (type === 'fraction' ? `${percent(value)} %` : small(value));
  const min = filter.min === undefined ? '' : text(filter.min);
  const max = filter.max === undefined ? '' : text(filter.max);
  if (min && max) return t('variants.chip.between', { min, max });
  return min ? t('variants.chip.min', { min }) : t('variants.chip.max', { max });
}
