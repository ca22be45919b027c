import { FormGroup, MenuToggle, Popover, TextInput, ToolbarFilter } from '@patternfly/react-core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UrlTable } from '../hooks/use-url-table-state.ts';
import type { TableFilter } from './table-filter.tsx';

/** Filters a list by first and last day. Opens from one button, because two fields would need their own row. */
export function PeriodFilter({ filters, table }: { filters: TableFilter[]; table: UrlTable }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = (
    <Popover
      isVisible={isOpen}
      shouldClose={() => setOpen(false)}
      shouldOpen={() => setOpen(true)}
      aria-label={t('table.dates')}
      showClose={false}
      bodyContent={filters.map((filter) => <DayField key={filter.key} filter={filter} table={table} />)}
    >
      <MenuToggle isExpanded={isOpen}>{t('table.dates')}</MenuToggle>
    </Popover>
  );
  return filters.reduceRight(
    (inner, filter) => (
      <ToolbarFilter
        key={filter.key}
        categoryName={{ key: filter.key, name: filter.title }}
        labels={(table.filters[filter.key] ?? []).map((value) => ({ key: value, node: value }))}
        deleteLabel={() => table.setFilter(filter.key, [])}
        deleteLabelGroup={() => table.setFilter(filter.key, [])}
        labelGroupExpandedText={t('table.show_less')}
      >
        {inner}
      </ToolbarFilter>
    ),
    button,
  );
}

/** Applies a day when the field loses focus or Enter is pressed. */
function DayField({ filter, table }: { filter: TableFilter; table: UrlTable }) {
  const value = table.filters[filter.key]?.[0] ?? '';
  return (
    <FormGroup label={filter.title} fieldId={`filter-${filter.key}`}>
      <TextInput
        id={`filter-${filter.key}`}
        type="date"
        key={value}
        defaultValue={value}
        onBlur={({ currentTarget }) =>
          currentTarget.value !== value && table.setFilter(filter.key, currentTarget.value ? [currentTarget.value] : [])
        }
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
    </FormGroup>
  );
}
