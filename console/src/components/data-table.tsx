import { MenuToggle } from '@patternfly/react-core';
import EllipsisVIcon from '@patternfly/react-icons/dist/esm/icons/ellipsis-v-icon';
import { ActionsColumn, type IAction, Table, Tbody, Td, Th, Thead, type ThProps, Tr } from '@patternfly/react-table';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RESULTS, region } from '../hooks/use-region-keys.ts';
import type { UrlTable } from '../hooks/use-url-table-state.ts';
import { ErrorState } from './error-state.tsx';
import { type Foldable, foldColumns } from './fold-columns.ts';
import type { TableFilter } from './table-filter.tsx';
import { TablePagination } from './table-pagination.tsx';
import { AllFilteredAway, NothingYet, SkeletonRows, WholeRow } from './table-states.tsx';
import { TableToolbar } from './table-toolbar.tsx';
import { useRowFocus } from './use-row-focus.ts';
import { useShownColumns } from './use-shown-columns.ts';
import { useWidth } from './use-width.ts';

/** One column of a list. */
export interface Column<Row> extends Foldable {
  /** Also the value of `sort` in the URL. */
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  sortable?: boolean;
  /** Right-aligned, tabular figures. */
  number?: boolean;
  /** Meaning and unit; shown on hover of the header. */
  hint?: string;
  /** In the column choice: shown or hidden at first. Columns without it are always shown. */
  optional?: 'shown' | 'hidden';
  width?: ThProps['width'];
}

/** Part of a TanStack query result that a list needs. */
export interface TableQuery {
  isPending: boolean;
  /** True while the next page loads and the previous one is still shown. */
  isPlaceholderData?: boolean;
  error: unknown;
  refetch: () => unknown;
}

export interface DataTableProps<Row> {
  /** Names the table for readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  /** Number of rows that match the search and the filters. */
  count: number | undefined;
  rowKey: (row: Row) => string;
  query: TableQuery;
  table: UrlTable;
  search?: string;
  filters?: TableFilter[];
  /** The row's actions, most used first; they stay in a kebab. */
  actions?: (row: Row) => IAction[];
  rowName?: (row: Row) => string;
  /** Buttons at the end of the toolbar. */
  toolbar?: ReactNode;
  /** Shown while the list is empty: what will appear here, and the action that adds it. */
  empty: { title: string; body: string; action?: ReactNode };
  selected?: ReadonlySet<string>;
  onSelect?: (keys: ReadonlySet<string>) => void;
  isSelectable?: (row: Row) => boolean;
  errorTitle?: string;
}

/** List with toolbar, table, pagination and its states: loading, failed, empty, all rows filtered out. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { t } = useTranslation();
  const { label, rows, rowKey, query, table, selected, onSelect } = props;
  const shown = useShownColumns(table.definition.id, props.columns);
  const [box, boxWidth] = useWidth();
  const places = foldColumns(shown.columns, boxWidth);
  const focusRow = useRowFocus(rows !== undefined);
  const width = places.length + (onSelect ? 1 : 0) + (props.actions ? 1 : 0);
  const [lastChecked, setLastChecked] = useState<number>();

  const select = (row: Row, index: number, isSelected: boolean, range: boolean) => {
    if (!onSelect || !rows) return;
    const from = range && lastChecked !== undefined ? Math.min(lastChecked, index) : index;
    const to = range && lastChecked !== undefined ? Math.max(lastChecked, index) : index;
    const next = new Set(selected);
    for (const each of range ? rows.slice(from, to + 1) : [row]) {
      if (isSelected && (props.isSelectable?.(each) ?? true)) next.add(rowKey(each));
      else next.delete(rowKey(each));
    }
    setLastChecked(index);
    onSelect(next);
  };

  const sort = (column: Column<Row>, index: number): ThProps['sort'] =>
    column.sortable
      ? {
          columnIndex: index,
          sortBy: { index: places.findIndex((place) => place.column.key === table.sort), direction: table.dir },
          onSort: (_event, _index, direction) => table.setSort(column.key, direction),
        }
      : undefined;

  const isBare = !table.isFiltered && !query.isPending && !query.error && props.count === 0;
  if (isBare) return <NothingYet {...props.empty} />;

  return (
    <div>
      <TableToolbar
        table={table}
        {...(props.search ? { search: props.search } : {})}
        filters={props.filters ?? []}
        count={props.count}
        selectedCount={selected?.size ?? 0}
        onClearSelection={() => onSelect?.(new Set())}
        columns={shown}
      >
        {props.toolbar}
      </TableToolbar>
      <div ref={box} style={{ overflowX: 'auto' }} {...region(RESULTS)}>
        <Table
          aria-label={label}
          variant="compact"
          isStickyHeader
          className={query.isPlaceholderData ? 'sp-stale' : ''}
        >
          <Thead>
            <Tr>
              {onSelect && (
                <Th
                  aria-label={t('table.select_page')}
                  select={{
                    isSelected: !!rows?.length && rows.every((row) => selected?.has(rowKey(row))),
                    onSelect: (_event, isSelected) =>
                      onSelect(
                        new Set(
                          [...(selected ?? []), ...(rows ?? []).map(rowKey)].filter((key) =>
                            isSelected ? true : !rows?.some((row) => rowKey(row) === key),
                          ),
                        ),
                      ),
                  }}
                />
              )}
              {places.map(({ column }, index) => {
                const sorting = sort(column, index);
                return (
                  <Th
                    key={column.key}
                    modifier="wrap"
                    {...(sorting ? { sort: sorting } : {})}
                    {...(column.width ? { width: column.width } : {})}
                    {...(column.hint
                      ? { info: { tooltip: column.hint, ariaLabel: t('table.about', { column: column.title }) } }
                      : {})}
                    className={column.number ? 'sp-number' : ''}
                  >
                    {column.title}
                  </Th>
                );
              })}
              {props.actions && <Th screenReaderText={t('table.actions')} />}
            </Tr>
          </Thead>
          <Tbody>
            {query.isPending && <SkeletonRows columns={width} rows={Math.min(table.perPage, 10)} />}
            {!query.isPending && query.error ? (
              <WholeRow columns={width}>
                <ErrorState
                  error={query.error}
                  {...(props.errorTitle ? { title: props.errorTitle } : {})}
                  onRetry={() => void query.refetch()}
                />
              </WholeRow>
            ) : null}
            {!query.isPending && !query.error && rows?.length === 0 && (
              <WholeRow columns={width}>
                <AllFilteredAway table={table} filters={props.filters ?? []} />
              </WholeRow>
            )}
            {!query.error &&
              rows?.map((row, index) => (
                <Tr key={rowKey(row)} data-row={rowKey(row)} onClickCapture={() => focusRow.remember(rowKey(row))}>
                  {onSelect && (
                    <Td
                      select={{
                        rowIndex: index,
                        isSelected: selected?.has(rowKey(row)) ?? false,
                        isDisabled: !(props.isSelectable?.(row) ?? true),
                        onSelect: (event, isSelected) =>
                          select(row, index, isSelected, (event.nativeEvent as MouseEvent).shiftKey === true),
                      }}
                    />
                  )}
                  {places.map(({ column, under }, place) =>
                    place === 0 ? (
                      <Th key={column.key} scope="row" dataLabel={column.title}>
                        {column.cell(row)}
                        <Under columns={under} row={row} />
                      </Th>
                    ) : (
                      <Td
                        key={column.key}
                        dataLabel={column.title}
                        {...(column.number ? { className: 'sp-number', modifier: 'nowrap' as const } : {})}
                      >
                        {column.cell(row)}
                        <Under columns={under} row={row} />
                      </Td>
                    ),
                  )}
                  {props.actions && (
                    <Td isActionCell>
                      {props.actions(row).length > 0 && (
                        <ActionsColumn
                          items={props.actions(row)}
                          actionsToggle={({ onToggle, isOpen, isDisabled, toggleRef }) => (
                            <MenuToggle
                              ref={toggleRef}
                              variant="plain"
                              icon={<EllipsisVIcon />}
                              onClick={onToggle}
                              isExpanded={isOpen}
                              isDisabled={isDisabled}
                              aria-label={t('table.actions_of', { name: props.rowName?.(row) ?? rowKey(row) })}
                            />
                          )}
                        />
                      )}
                    </Td>
                  )}
                </Tr>
              ))}
          </Tbody>
        </Table>
      </div>
      {props.count !== undefined && props.count > 0 && <TablePagination table={table} count={props.count} isBottom />}
      <div className="pf-v6-screen-reader" aria-live="polite">
        {props.count !== undefined && !query.isPending ? t('table.count', { count: props.count }) : ''}
      </div>
    </div>
  );
}

/** Values of folded columns, each with its title. */
function Under<Row>({ columns, row }: { columns: Column<Row>[]; row: Row }) {
  return columns.map((column) => (
    <div key={column.key} className="sp-under">
      {column.title}: {column.cell(row)}
    </div>
  ));
}
