import { useMemo } from 'react';
import { type NavigateOptions, useLocation, useNavigate, useSearchParams } from 'react-router-dom';
import type { VariantParams } from '../../../queries/results.ts';

export const SHOW = ['kept', 'called', 'all'] as const;
export type Show = (typeof SHOW)[number];

/** Condition on one field as in the URL: `f.impact=HIGH,MODERATE`, `f.vaf=0.05..` or `f.depth=..100`. */
export interface FieldFilter {
  field: string;
  values?: string[];
  min?: number;
  max?: number;
}

/** History state of a drawer that was opened over the list. Back closes it. */
const FROM_LIST = 'from-list';

const DEFAULT_SORT = '-impact,-vaf,chrom,pos';
const SORT = /^-?[a-z_]+(,-?[a-z_]+)*$/;
const RANGE = /^(-?[\d.]*)\.\.(-?[\d.]*)$/;

/** Reads `f.*` parameters. Skips invalid values. */
export function readFieldFilters(params: URLSearchParams): FieldFilter[] {
  return [...params.entries()].flatMap(([key, text]): FieldFilter[] => {
    if (!key.startsWith('f.') || text === '') return [];
    const field = key.slice(2);
    const range = RANGE.exec(text);
    if (!range) return [{ field, values: text.split(',') }];
    const min = range[1] === '' ? undefined : Number(range[1]);
    const max = range[2] === '' ? undefined : Number(range[2]);
    if (Number.isNaN(min) || Number.isNaN(max) || (min === undefined && max === undefined)) return [];
    return [{ field, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }];
  });
}

/** Returns the text of a filter in the URL; '' removes the filter. */
export function fieldFilterText(filter: FieldFilter): string {
  if (filter.values) return filter.values.join(',');
  if (filter.min === undefined && filter.max === undefined) return '';
  return `${filter.min ?? ''}..${filter.max ?? ''}`;
}

/**
 * Returns the api's conditions, all of which must match. A row without a value passes an upper limit ("≤ or absent").
 */
export function conditionsOf(filters: readonly FieldFilter[]) {
  return filters.flatMap(({ field, values, min, max }) => [
    ...(values ? [{ field, operator: 'in', value: values, missingPasses: false }] : []),
    ...(min === undefined ? [] : [{ field, operator: '>=', value: min, missingPasses: false }]),
    ...(max === undefined ? [] : [{ field, operator: '<=', value: max, missingPasses: true }]),
  ]);
}

/** Reads the state of the variants tab, with the api's queries of the rows and of the facets. */
export function readVariantUrl(params: URLSearchParams) {
  const sample = params.get('sample') ?? '';
  const show = SHOW.find((value) => value === params.get('show')) ?? 'kept';
  const q = (params.get('q') ?? '').slice(0, 200);
  const sort = SORT.test(params.get('sort') ?? '') ? params.get('sort')! : DEFAULT_SORT;
  const filters = readFieldFilters(params);
  const conditions = conditionsOf(filters);
  const facetQuery: Omit<VariantParams, 'sort'> = {
    show,
    ...(sample ? { sample } : {}),
    ...(q ? { q } : {}),
    ...(conditions.length > 0 ? { where: JSON.stringify(conditions) } : {}),
  };
  const query: VariantParams = { ...facetQuery, sort };
  return { sample, show, q, sort, filters, query, facetQuery, open: params.get('v') ?? undefined };
}

/** State of the variants tab, kept in the URL only, so that a link shows the same rows to a colleague. */
export function useVariantUrl() {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const cameFromList = useLocation().state === FROM_LIST;
  return useMemo(() => {
    const state = readVariantUrl(params);
    const { sort, filters } = state;
    const set = (changes: Record<string, string>, options: NavigateOptions = {}) =>
      setParams((now) => {
        const next = new URLSearchParams(now);
        for (const [key, value] of Object.entries(changes)) {
          if (value === '') next.delete(key);
          else next.set(key, value);
        }
        return next;
      }, options);
    return {
      ...state,
      setSample: (value: string) => set({ sample: value, v: '' }),
      setShow: (value: Show) => set({ show: value === 'kept' ? '' : value }),
      setQ: (value: string) => set({ q: value }, { replace: true }),
      /** One Back closes the drawer. Opening another row replaces the history entry. */
      setOpen: (id: string | undefined) => {
        if (id === undefined && cameFromList) void navigate(-1);
        else if (params.has('v')) set({ v: id ?? '' }, { replace: true, state: id && cameFromList ? FROM_LIST : null });
        else set({ v: id ?? '' }, { state: FROM_LIST });
      },
      setFilter: (filter: FieldFilter) => set({ [`f.${filter.field}`]: fieldFilterText(filter) }),
      clearFilters: () => set({ q: '', ...Object.fromEntries(filters.map(({ field }) => [`f.${field}`, ''])) }),
      /** Sorts by a column. A second call reverses the order. */
      sortBy: (key: string) => set({ sort: sort === key ? `-${key}` : sort === `-${key}` ? '' : key }),
    };
  }, [params, setParams, navigate, cameFromList]);
}
export type VariantUrl = ReturnType<typeof useVariantUrl>;
