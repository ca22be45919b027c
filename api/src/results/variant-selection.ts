/** Selects rows of the variant table by samples, view, search and conditions. */

import type { Knex } from 'knex';
import type { Call } from '../feature.ts';
import { conditionsSql, parseWhere, type Sql, searchSql } from './variant-sql.ts';

export type FacetQuery = Call<'listVariantFacets'>['query'];

const SHOW = { kept: 'c.kept', called: 'c.called', all: 'true' } as const;
type Show = keyof typeof SHOW;

/** A sample of the task with its number of rows per view, so that counts need no scan. */
export interface SampleCounts {
  idx: number;
  name: string;
  all: number;
  called: number;
  kept: number;
}

export const readSampleCounts = (db: Knex, taskId: string): Promise<SampleCounts[]> =>
  db('task_sample')
    .where({ task_id: taskId })
    .orderBy('idx')
    .select('idx', 'name', 'variants_ingested as all', 'variants_called as called', 'variants_kept as kept');

/** Returns the samples that the query names, or all. */
export function chosenOf(samples: readonly SampleCounts[], names: string | undefined): readonly SampleCounts[] {
  if (!names) return samples;
  const wanted = new Set(names.split(','));
  return samples.filter(({ name }) => wanted.has(name));
}

export const sum = (samples: readonly SampleCounts[], show: Show): number =>
  samples.reduce((n, sample) => n + sample[show], 0);

/** Returns the WHERE clause of the rows that the query selects. */
export function whereSql(taskId: string, query: FacetQuery, show: Show, chosen: readonly SampleCounts[]): Sql {
  const parts: Sql[] = [{ text: 'c.task_id = ?', bindings: [taskId] }];
  if (query.sample)
    parts.push({ text: 'c.sample_idx = ANY (?::int[])', bindings: [chosen.map(({ idx }) => idx)] as never });
  if (show !== 'all') parts.push({ text: SHOW[show], bindings: [] });
  const search = searchSql(query.q);
  if (search) parts.push(search);
  parts.push(...conditionsSql(parseWhere(query.where)));
  return { text: parts.map(({ text }) => text).join(' AND '), bindings: parts.flatMap(({ bindings }) => bindings) };
}
