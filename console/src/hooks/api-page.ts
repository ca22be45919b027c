import type { UseQueryResult } from '@tanstack/react-query';
import type { SortDirection, TableState } from './table-url.ts';

/** Query parameters of every list that the API sorts and cuts into pages. */
interface PageParams {
  page?: number;
  page_size?: number;
  sort?: string;
  dir?: SortDirection;
  q?: string;
}

/**
 * Returns the query parameters for a list's state.
 * @param filters the list's filters with the same name and values in the API; several values are joined.
 */
export function pageRequest<Params extends PageParams>(
  table: TableState,
  filters: readonly (keyof Params & string)[],
): Params {
  const chosen = filters.flatMap((key) => {
    const values = table.filters[key] ?? [];
    return values.length > 0 ? [[key, values.join(',')]] : [];
  });
  const { page, perPage: page_size, sort, dir, q } = table;
  // The list's definition admits only the values of Params from the URL.
  return { page, page_size, sort, dir, ...(q && { q }), ...Object.fromEntries(chosen) } as Params;
}

/** Returns the properties of a DataTable that shows a page of the API. */
export const pageOf = <Row>(query: UseQueryResult<{ results: Row[]; count: number }>) => ({
  query,
  rows: query.data?.results,
  count: query.data?.count,
});
