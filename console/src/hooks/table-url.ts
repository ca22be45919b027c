export const PAGE_SIZES = [5, 10, 15, 20, 30, 50, 100] as const;
export const DEFAULT_PAGE_SIZE = 20;

export type SortDirection = 'asc' | 'desc';

/**
 * Values that a filter of a list accepts from the URL. Without `allowed` and `pattern` any text up to 200 characters.
 */
export interface FilterRule {
  allowed?: readonly string[];
  pattern?: RegExp;
  multiple?: boolean;
}

/** A list's own rules, with the defaults for values missing in the URL. */
export interface TableDefinition {
  /** Names the list: remembered page size and columns. */
  id: string;
  sortable: readonly string[];
  defaultSort: { key: string; dir: SortDirection };
  filters?: Record<string, FilterRule>;
}

/** The state of a list. `page` counts from 1. */
export interface TableState {
  q: string;
  sort: string;
  dir: SortDirection;
  page: number;
  perPage: number;
  filters: Record<string, string[]>;
}

const MAX_TEXT = 200;

/** Reads a list's state from the URL; an invalid part gets its default. */
export function readTableState(
  params: URLSearchParams,
  definition: TableDefinition,
  perPageDefault: number,
): TableState {
  const sort = params.get('sort');
  const dir = params.get('dir');
  const page = Number(params.get('page'));
  const perPage = Number(params.get('perPage'));
  const knownSort = sort !== null && definition.sortable.includes(sort);
  return {
    q: (params.get('q') ?? '').slice(0, MAX_TEXT),
    sort: knownSort ? sort : definition.defaultSort.key,
    dir: dir === 'asc' || dir === 'desc' ? dir : knownSort ? 'asc' : definition.defaultSort.dir,
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    perPage: PAGE_SIZES.some((size) => size === perPage) ? perPage : perPageDefault,
    filters: Object.fromEntries(
      Object.entries(definition.filters ?? {}).map(([key, rule]) => [key, readFilter(params.getAll(key), rule)]),
    ),
  };
}

function readFilter(values: string[], rule: FilterRule): string[] {
  const valid = values.filter(
    (value) =>
      value !== '' &&
      value.length <= MAX_TEXT &&
      (rule.allowed === undefined || rule.allowed.includes(value)) &&
      (rule.pattern === undefined || rule.pattern.test(value)),
  );
  return rule.multiple ? [...new Set(valid)] : valid.slice(0, 1);
}

/**
 * Writes a list's state into the parameters: defaults are left out, parameters of others (group, tab) stay.
 * `readTableState(writeTableState(p, s)) = s` for every valid state.
 */
export function writeTableState(
  params: URLSearchParams,
  state: TableState,
  definition: TableDefinition,
  perPageDefault: number,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const key of ['q', 'sort', 'dir', 'page', 'perPage', ...Object.keys(definition.filters ?? {})]) next.delete(key);
  if (state.q !== '') next.set('q', state.q);
  const { defaultSort } = definition;
  if (state.sort !== defaultSort.key) {
    next.set('sort', state.sort);
    if (state.dir !== 'asc') next.set('dir', state.dir);
  } else if (state.dir !== defaultSort.dir) {
    next.set('sort', state.sort);
    next.set('dir', state.dir);
  }
  if (state.page !== 1) next.set('page', String(state.page));
  if (state.perPage !== perPageDefault) next.set('perPage', String(state.perPage));
  for (const [key, values] of Object.entries(state.filters)) for (const value of values) next.append(key, value);
  return next;
}

/** Returns the page after a change of the page size, so that the first visible row stays visible. */
export function pageWithRow(page: number, perPage: number, nextPerPage: number): number {
  return Math.floor(((page - 1) * perPage) / nextPerPage) + 1;
}
