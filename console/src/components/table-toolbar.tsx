import {
  Button,
  InputGroup,
  InputGroupText,
  MenuToggle,
  type MenuToggleElement,
  Pagination,
  PaginationVariant,
  Select,
  SelectList,
  SelectOption,
  TextInput,
  Toolbar,
  ToolbarContent,
  ToolbarFilter,
  ToolbarGroup,
  ToolbarItem,
  ToolbarToggleGroup,
} from '@patternfly/react-core';
import ColumnsIcon from '@patternfly/react-icons/dist/esm/icons/columns-icon';
import FilterIcon from '@patternfly/react-icons/dist/esm/icons/filter-icon';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZES } from '../hooks/table-url.ts';
import type { UrlTable } from '../hooks/use-url-table-state.ts';
import { DebouncedSearch } from './debounced-search.tsx';
import { count as formatCount } from './format.ts';
import type { ShownColumns } from './use-shown-columns.ts';

/** Filter of a list: a choice among options, or a typed text or day. */
export interface TableFilter {
  key: string;
  title: string;
  kind?: 'choice' | 'text' | 'date';
  options?: { value: string; text: string }[];
}

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
            {filters.map((filter) => (
              <FilterItem key={filter.key} filter={filter} table={table} />
            ))}
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

function FilterItem({ filter, table }: { filter: TableFilter; table: UrlTable }) {
  const { t } = useTranslation();
  const values = table.filters[filter.key] ?? [];
  const textOf = (value: string) => filter.options?.find((option) => option.value === value)?.text ?? value;
  return (
    <ToolbarFilter
      categoryName={{ key: filter.key, name: filter.title }}
      labels={values.map((value) => ({ key: value, node: textOf(value) }))}
      deleteLabel={(_category, label) =>
        table.setFilter(
          filter.key,
          values.filter((value) => value !== (typeof label === 'string' ? label : label.key)),
        )
      }
      deleteLabelGroup={() => table.setFilter(filter.key, [])}
      labelGroupExpandedText={t('table.show_less')}
    >
      {filter.kind === 'text' || filter.kind === 'date' ? (
        <InputGroup>
          {filter.kind === 'date' && <InputGroupText>{filter.title}</InputGroupText>}
          <TextInput
            type={filter.kind}
            aria-label={filter.title}
            placeholder={filter.title}
            defaultValue={values[0] ?? ''}
            key={values[0] ?? ''}
            onBlur={(event) => {
              const next = event.currentTarget.value;
              if (next !== (values[0] ?? '')) table.setFilter(filter.key, next ? [next] : []);
            }}
            onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          />
        </InputGroup>
      ) : (
        <ChoiceFilter filter={filter} values={values} table={table} />
      )}
    </ToolbarFilter>
  );
}

function ChoiceFilter({ filter, values, table }: { filter: TableFilter; values: string[]; table: UrlTable }) {
  const [isOpen, setOpen] = useState(false);
  const multiple = table.definition.filters?.[filter.key]?.multiple === true;
  const choose = (value: string) => {
    const without = values.filter((other) => other !== value);
    const isChosen = without.length !== values.length;
    table.setFilter(filter.key, isChosen ? without : multiple ? [...values, value] : [value]);
    if (!multiple) setOpen(false);
  };
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_event, value) => choose(String(value))}
      toggle={(ref: React.Ref<MenuToggleElement>) => (
        <MenuToggle ref={ref} onClick={() => setOpen(!isOpen)} isExpanded={isOpen}>
          {filter.title}
        </MenuToggle>
      )}
    >
      <SelectList aria-label={filter.title}>
        {(filter.options ?? []).map((option) => (
          <SelectOption
            key={option.value}
            value={option.value}
            isSelected={values.includes(option.value)}
            {...(multiple ? { hasCheckbox: true } : {})}
          >
            {option.text}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}

function ColumnChoice({ columns }: { columns: ShownColumns }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Select
      role="menu"
      isOpen={isOpen}
      onOpenChange={setOpen}
      onSelect={(_event, key) => columns.toggle(String(key))}
      toggle={(ref: React.Ref<MenuToggleElement>) => (
        <MenuToggle
          ref={ref}
          variant="plain"
          icon={<ColumnsIcon />}
          aria-label={t('table.columns')}
          onClick={() => setOpen(!isOpen)}
          isExpanded={isOpen}
        />
      )}
    >
      <SelectList aria-label={t('table.columns')}>
        {columns.choices.map((choice) => (
          <SelectOption key={choice.key} value={choice.key} hasCheckbox isSelected={choice.isShown}>
            {choice.title}
          </SelectOption>
        ))}
      </SelectList>
    </Select>
  );
}

/** Pagination with the page sizes 5 to 100. */
export function TablePagination({ table, count, isBottom }: { table: UrlTable; count: number; isBottom?: boolean }) {
  const { t } = useTranslation();
  return (
    <Pagination
      itemCount={count}
      page={table.page}
      perPage={table.perPage}
      perPageOptions={PAGE_SIZES.map((value) => ({ title: String(value), value }))}
      onSetPage={(_event, page) => table.setPage(page)}
      onPerPageSelect={(_event, perPage) => table.setPerPage(perPage)}
      variant={isBottom ? PaginationVariant.bottom : PaginationVariant.top}
      isCompact={!isBottom}
      widgetId={`${table.definition.id}-${isBottom ? 'bottom' : 'top'}`}
      titles={{
        items: '',
        page: '',
        pages: '',
        itemsPerPage: t('table.per_page'),
        perPageSuffix: t('table.per_page_suffix'),
        toFirstPageAriaLabel: t('table.first_page'),
        toPreviousPageAriaLabel: t('table.previous_page'),
        toNextPageAriaLabel: t('table.next_page'),
        toLastPageAriaLabel: t('table.last_page'),
        currPageAriaLabel: t('table.current_page'),
        paginationAriaLabel: isBottom ? t('table.pagination_bottom') : t('table.pagination_top'),
        ofWord: t('table.of'),
      }}
    />
  );
}
