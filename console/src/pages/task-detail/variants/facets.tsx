import { Button, Checkbox, Content, FormGroup, InputGroup, InputGroupItem, TextInput } from '@patternfly/react-core';
import FilterIcon from '@patternfly/react-icons/dist/esm/icons/filter-icon';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { count as formatCount } from '../../../components/format.ts';
import { region } from '../../../hooks/use-region-keys.ts';
import type { useVariantFacets, VariantColumn } from '../../../queries/results.ts';
import type { FieldFilter, VariantUrl } from './use-variant-url.ts';
import { valueText } from './value-text.ts';

type Facets = NonNullable<ReturnType<typeof useVariantFacets>['data']>;

/** Number of facets in the first render; the others follow, because they are below the fold. */
const FIRST_FACETS = 4;
/** Number of values that a facet shows, most frequent first. */
const SHOWN_VALUES = 12;

/** Quick filters left of the table: counts per value, ranges with the smallest and largest value. */
export function FacetPanel({
  facets,
  columns,
  url,
}: {
  facets: Facets | undefined;
  columns: VariantColumn[];
  url: VariantUrl;
}) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const shown = useDeferredValue(columns.length, FIRST_FACETS);
  return (
    <div {...region('facets')} className={`sp-facets${isOpen ? '' : ' sp-closed'}`}>
      <Button
        variant="secondary"
        icon={<FilterIcon />}
        aria-expanded={isOpen}
        className="sp-facets-toggle"
        onClick={() => setOpen(!isOpen)}
      >
        {t('variants.filters')}
      </Button>
      {columns
        .filter((column) => column.facet !== null && column.key !== 'sample')
        .slice(0, shown)
        .map((column) =>
          column.facet === 'values' ? (
            <ValueFacet key={column.key} column={column} values={facets?.values[column.key] ?? []} url={url} />
          ) : (
            <RangeFacet key={column.key} column={column} range={facets?.ranges[column.key]} url={url} />
          ),
        )}
    </div>
  );
}

function useTitle(column: VariantColumn): string {
  const { t } = useTranslation();
  return t(`variants.column.${column.key}` as never, { defaultValue: column.key });
}

function ValueFacet({
  column,
  values,
  url,
}: {
  column: VariantColumn;
  values: { value: string | null; count: number }[];
  url: VariantUrl;
}) {
  const { t } = useTranslation();
  const title = useTitle(column);
  const chosen = url.filters.find(({ field }) => field === column.key)?.values ?? [];
  const known = values.flatMap(({ value, count }) => (value === null || value === '' ? [] : [{ value, count }]));
  if (known.length < 2 && chosen.length === 0) return null;
  const toggle = (value: string, on: boolean) =>
    url.setFilter({ field: column.key, values: on ? [...chosen, value] : chosen.filter((other) => other !== value) });
  return (
    <FormGroup role="group" label={title} fieldId={`facet-${column.key}`}>
      {known.slice(0, SHOWN_VALUES).map(({ value, count }) => (
        <Checkbox
          key={value}
          id={`facet-${column.key}-${value}`}
          label={
            <span translate="no">
              {valueText(t, column.key, value)} <Content component="small">{formatCount(count)}</Content>
            </span>
          }
          isChecked={chosen.includes(value)}
          onChange={(_event, on) => toggle(value, on)}
        />
      ))}
    </FormGroup>
  );
}

function RangeFacet({
  column,
  range,
  url,
}: {
  column: VariantColumn;
  range: { min: number | null; max: number | null } | undefined;
  url: VariantUrl;
}) {
  const { t } = useTranslation();
  const title = useTitle(column);
  const filter: FieldFilter = url.filters.find(({ field }) => field === column.key) ?? { field: column.key };
  if (!range && filter.min === undefined && filter.max === undefined) return null;
  // Fractions are typed in percent.
  const scale = column.type === 'fraction' ? 100 : 1;
  const shown = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : String(Number((value * scale).toPrecision(4)));
  const change = (bound: 'min' | 'max', text: string) => {
    const value = Number(text) / scale;
    const next: FieldFilter = { ...filter };
    if (text === '' || Number.isNaN(value)) delete next[bound];
    else next[bound] = value;
    url.setFilter(next);
  };
  return (
    <FormGroup
      role="group"
      label={`${title}${column.type === 'fraction' ? ' (%)' : ''}`}
      fieldId={`facet-${column.key}`}
    >
      <InputGroup>
        {(['min', 'max'] as const).map((bound) => (
          <InputGroupItem key={bound} isFill>
            <TextInput
              aria-label={t(`variants.range.${bound}`, { field: title })}
              placeholder={shown(range?.[bound])}
              defaultValue={shown(filter[bound])}
              key={shown(filter[bound])}
              inputMode="decimal"
              onBlur={(event) =>
                event.currentTarget.value !== shown(filter[bound]) && change(bound, event.currentTarget.value)
              }
              onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
            />
          </InputGroupItem>
        ))}
      </InputGroup>
    </FormGroup>
  );
}
