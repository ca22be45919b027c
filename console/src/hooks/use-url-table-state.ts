import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import {
  DEFAULT_PAGE_SIZE,
  PAGE_SIZES,
  pageWithRow,
  readTableState,
  type SortDirection,
  type TableDefinition,
  type TableState,
  writeTableState,
} from './table-url.ts';

/** A list's state and functions that change it. Every change except of the page opens page 1. */
export interface UrlTable extends TableState {
  definition: TableDefinition;
  /** True when search or a filter hides rows. */
  isFiltered: boolean;
  setQ: (q: string) => void;
  setSort: (sort: string, dir: SortDirection) => void;
  setPage: (page: number) => void;
  setPerPage: (perPage: number) => void;
  setFilter: (key: string, values: string[]) => void;
  clearFilters: () => void;
}

const perPageKey = (id: string) => `seqpanel.perPage.${id}`;

function rememberedPerPage(id: string): number {
  const value = Number(window.localStorage.getItem(perPageKey(id)));
  return PAGE_SIZES.some((size) => size === value) ? value : DEFAULT_PAGE_SIZE;
}

/**
 * State of a list, kept in the URL only: invalid values are removed from it, and Back restores everything. Typing
 * replaces the history entry, every other change adds one.
 * @param definition a constant of the page's module; a new object on every render would clean the URL each time.
 */
export function useUrlTableState(definition: TableDefinition): UrlTable {
  const [params, setParams] = useSearchParams();
  const [perPageDefault] = useState(() => rememberedPerPage(definition.id));
  const state = useMemo(() => readTableState(params, definition, perPageDefault), [params, definition, perPageDefault]);

  useEffect(() => {
    const clean = writeTableState(params, state, definition, perPageDefault);
    if (sorted(clean) !== sorted(params)) setParams(clean, { replace: true });
  }, [params, state, definition, perPageDefault, setParams]);

  return useMemo(() => {
    const change = (part: Partial<TableState>, replace = false) =>
      setParams((now) => writeTableState(now, { ...state, page: 1, ...part }, definition, perPageDefault), { replace });
    return {
      ...state,
      definition,
      isFiltered: state.q !== '' || Object.values(state.filters).some((values) => values.length > 0),
      setQ: (q) => change({ q }, true),
      setSort: (sort, dir) => change({ sort, dir }),
      setPage: (page) => change({ page }),
      setPerPage: (perPage) => {
        window.localStorage.setItem(perPageKey(definition.id), String(perPage));
        change({ perPage, page: pageWithRow(state.page, state.perPage, perPage) });
      },
      setFilter: (key, values) => change({ filters: { ...state.filters, [key]: values } }),
      clearFilters: () =>
        change({ q: '', filters: Object.fromEntries(Object.keys(state.filters).map((key) => [key, []])) }),
    };
  }, [state, definition, perPageDefault, setParams]);
}

function sorted(params: URLSearchParams): string {
  const copy = new URLSearchParams(params);
  copy.sort();
  return copy.toString();
}
