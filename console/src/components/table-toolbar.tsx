import { Button, Toolbar, ToolbarContent, ToolbarGroup, ToolbarItem, ToolbarToggleGroup } from '@patternfly/react-core';
import FilterIcon from '@patternfly/react-icons/dist/esm/icons/filter-icon';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { UrlTable } from '../hooks/use-url-table-state.ts';
import { ColumnChoice } from './column-choice.tsx';
import { DebouncedSearch } from './debounced-search.tsx';
import { count as formatCount } from './format.ts';
import { PeriodFilter } from './period-filter.tsx';
import { FilterItem, type TableFilter } from './table-filter.tsx';
import { TablePagination } from './table-pagination.tsx';
import type { ShownColumns } from './use-shown-columns.ts';

interface TableToolbarProps {
  table: UrlTable;
  search?: string;
  filters: TableFilter[];
  count: number | undefined;
  selectedCount: number;
  onClearSelection: () => void;
  columns: ShownColumns;
  children?: ReactNode;
}

/** Search, filters with chips, the list's buttons, columns and pagination. */
export function TableToolbar({
  table,
  search,
  filters,
  count,
  selectedCount,
  onClearSelection,
  columns,
  children,
}: TableToolbarProps) {
  const { t } = useTranslation();
  const days = filters.filter(({ kind }) => kind === 'date');
  return (
    <Toolbar clearAllFilters={table.clearFilters} clearFiltersButtonText={t('table.clear_filters')}>
      <ToolbarContent>
        <ToolbarToggleGroup toggleIcon={<FilterIcon />} breakpoint="lg">
          {search && (
            <ToolbarItem>
              <DebouncedSearch value={table.q} onChange={table.setQ} placeholder={search} />
            </ToolbarItem>
          )}
          <ToolbarGroup variant="filter-group" rowWrap={{ default: 'wrap' }}>
            {filters
              .filter(({ kind }) => kind !== 'date')
              .map((filter) => (
                <FilterItem key={filter.key} filter={filter} table={table} />
              ))}
            {days.length > 0 && <PeriodFilter filters={days} table={table} />}
          </ToolbarGroup>
        </ToolbarToggleGroup>
        {selectedCount > 0 && (
          <ToolbarItem>
            {t('table.selected', { n: formatCount(selectedCount) })}{' '}
            <Button variant="link" isInline onClick={onClearSelection}>
              {t('table.clear_selection')}
            </Button>
          </ToolbarItem>
        )}
        <ToolbarGroup variant="action-group">{children}</ToolbarGroup>
        {columns.choices.length > 0 && (
          <ToolbarItem>
            <ColumnChoice columns={columns} />
          </ToolbarItem>
        )}
        {count !== undefined && (
          <ToolbarItem variant="pagination" align={{ default: 'alignEnd' }}>
            <TablePagination table={table} count={count} />
          </ToolbarItem>
        )}
      </ToolbarContent>
    </Toolbar>
  );
}
