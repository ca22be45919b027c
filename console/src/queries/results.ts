import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { answer, api, sessionFetch } from '../api/client.ts';
import type { components, paths } from '../api/generated.ts';

export type TaskSummary = components['schemas']['TaskSummary'];
export type VariantRow = components['schemas']['VariantRow'];
export type VariantDetail = components['schemas']['VariantDetail'];
export type VariantColumn = components['schemas']['VariantColumn'];
export type TaskQc = components['schemas']['TaskQc'];
export type IgvSources = components['schemas']['IgvSources'];
export type VariantParams = Omit<
  NonNullable<paths['/api/v1/pivat/{group}/tasks/{id}/variants']['get']['parameters']['query']>,
  'page' | 'page_size'
>;

/** Base of the paths in answers. */
export const API_BASE = '/api/v1/pivat';

/** Rows per call. */
export const CHUNK = 200;

const key = (group: string, id: string, ...rest: unknown[]) => ['results', group, id, ...rest];
const path = (group: string, id: string) => ({ path: { group, id } });

export const useTaskSummary = (group: string, id: string, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: key(group, id, 'summary'),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/summary', { params: path(group, id) })),
    refetchInterval,
  });

/** Columns of the variant table; its help and the api's filters use the same list. */
export const variantColumnsQuery = queryOptions({
  queryKey: ['variant-columns'],
  queryFn: async () => (await answer(api.GET('/api/v1/pivat/variant-columns'))).results,
  staleTime: Number.POSITIVE_INFINITY,
});

export const useVariantColumns = () => useQuery(variantColumnsQuery);

/** Variants in chunks of 200; the next chunk is asked for when its rows come into view. */
export const variantsQuery = (group: string, id: string, query: VariantParams) =>
  infiniteQueryOptions({
    queryKey: key(group, id, 'variants', query),
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      answer(
        api.GET('/api/v1/pivat/{group}/tasks/{id}/variants', {
          params: { ...path(group, id), query: { ...query, page: pageParam, page_size: CHUNK } },
        }),
      ),
    getNextPageParam: (last, pages) => (pages.length * CHUNK < last.count ? pages.length + 1 : undefined),
  });

export const useVariants = (group: string, id: string, query: VariantParams) =>
  useInfiniteQuery({ ...variantsQuery(group, id, query), placeholderData: keepPreviousData });

export const variantFacetsQuery = (group: string, id: string, query: Omit<VariantParams, 'sort'>) =>
  queryOptions({
    queryKey: key(group, id, 'facets', query),
    queryFn: () =>
      answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/variants/facets', { params: { ...path(group, id), query } })),
  });

export const useVariantFacets = (group: string, id: string, query: Omit<VariantParams, 'sort'>) =>
  useQuery({ ...variantFacetsQuery(group, id, query), placeholderData: keepPreviousData });

export const useVariant = (group: string, id: string, variant: string) =>
  useQuery({
    queryKey: key(group, id, 'variant', variant),
    queryFn: () =>
      answer(
        api.GET('/api/v1/pivat/{group}/tasks/{id}/variants/{variant}', { params: { path: { group, id, variant } } }),
      ),
  });

/** Pileup of a call, written by the report step. `file`: its path in the task's output. */
export const usePileup = (group: string, id: string, file: string | null | undefined) =>
  useQuery({
    queryKey: key(group, id, 'pileup', file),
    enabled: !!file,
    queryFn: async () => {
      const url = new URL(`${API_BASE}/${group}/tasks/${id}/output/file`, window.location.origin);
      url.searchParams.set('path', file!);
      return (await sessionFetch(new Request(url))).json() as Promise<Pileup>;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useTaskQc = (group: string, id: string, refetchInterval: number | false = false) =>
  useQuery({
    queryKey: key(group, id, 'qc'),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/qc', { params: path(group, id) })),
    refetchInterval,
  });

export const useIgvSources = (group: string, id: string, sample: string | undefined) =>
  useQuery({
    queryKey: key(group, id, 'igv', sample),
    enabled: sample !== undefined,
    queryFn: () =>
      answer(
        api.GET('/api/v1/pivat/{group}/tasks/{id}/igv', { params: { ...path(group, id), query: { sample: sample! } } }),
      ),
  });

/**
 * pileups/S/<allele_key>.json: the window around a call, the reference and sampled fragments. Positions are 1-based.
 */
export interface Pileup {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  /** First position of the window and its reference bases. */
  start: number;
  reference: string;
  /** Fragments with and without the allele, before sampling. */
  counts: { alt: number; reference: number };
  /** One string as long as the window: `-` is a gap, a blank is outside the fragment, lower case is low quality. */
  rows: { bases: string; strand: '+' | '-'; alt: boolean; mapq?: number }[];
}
