import type { TableState } from './table-url.ts';

/** Rules to search, filter and sort a list in the browser, for lists that the api sends whole. */
export interface ClientRules<Row> {
  /** The texts that the search looks in. */
  text: (row: Row) => string[];
  compare: Record<string, (a: Row, b: Row) => number>;
  /** True when the row matches one chosen value of the filter. */
  filter?: Record<string, (row: Row, value: string) => boolean>;
}

/** Compares names with their numbers: S2 before S10. */
export const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** Returns one page of the matching rows, and how many match. */
export function clientRows<Row>(rows: readonly Row[], state: TableState, rules: ClientRules<Row>) {
  const q = state.q.trim().toLowerCase();
  const passing = rows.filter(
    (row) =>
      (q === '' || rules.text(row).some((text) => text.toLowerCase().includes(q))) &&
      Object.entries(state.filters).every(
        ([key, values]) => values.length === 0 || values.some((value) => rules.filter?.[key]?.(row, value) ?? true),
      ),
  );
  const compare = rules.compare[state.sort];
  const sign = state.dir === 'asc' ? 1 : -1;
  const ordered = compare ? passing.toSorted((a, b) => sign * compare(a, b)) : passing;
  const start = (state.page - 1) * state.perPage;
  return { rows: ordered.slice(start, start + state.perPage), all: ordered, count: passing.length };
}
