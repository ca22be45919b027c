/** Reads chunks of the variant table, their counts and facets. Scans one table, and only when no count is cached. */

import { VARIANT_COLUMNS, type VariantColumn, valuesFrom } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import type { CallTable } from '../db/tables/variants.ts';
import type { AnswerOf, Call } from '../feature.ts';
import { conditionsSql, expressionOf, orderSql, parseWhere, type Sql, searchSql } from './variant-sql.ts';

export type VariantRow = AnswerOf<'listVariants'>['results'][number];
type ListQuery = Call<'listVariants'>['query'];
type FacetQuery = Call<'listVariantFacets'>['query'];

const DEFAULT_SORT = '-impact,-vaf,chrom,pos';
const MAX_FACET_VALUES = 100;

const SHOW = { kept: 'c.kept', called: 'c.called', all: 'true' } as const;
type Show = keyof typeof SHOW;

/** Columns of `call` that an answer needs. The evidence in `info` is read only for a single row. */
export const ROW_COLUMNS = [
  'sample_idx',
  'allele_key',
  ...valuesFrom('call', 'allele', 'transcript'),
  'kept',
  'post_group',
]
  .map((name) => `c.${name}`)
  .join(', ');

/** A sample of the task with its number of rows per view, so that counts need no scan. */
interface SampleCounts {
  idx: number;
  name: string;
  all: number;
  called: number;
  kept: number;
}

const readSampleCounts = (db: Knex, taskId: string): Promise<SampleCounts[]> =>
  db('task_sample')
    .where({ task_id: taskId })
    .orderBy('idx')
    .select('idx', 'name', 'variants_ingested as all', 'variants_called as called', 'variants_kept as kept');

/** Returns the samples that the query names, or all. */
function chosenOf(samples: readonly SampleCounts[], names: string | undefined): readonly SampleCounts[] {
  if (!names) return samples;
  const wanted = new Set(names.split(','));
  return samples.filter(({ name }) => wanted.has(name));
}

const sum = (samples: readonly SampleCounts[], show: Show): number =>
  samples.reduce((n, sample) => n + sample[show], 0);

/** Returns the WHERE clause of the rows that the query selects. */
function whereSql(taskId: string, query: FacetQuery, show: Show, chosen: readonly SampleCounts[]): Sql {
  const parts: Sql[] = [{ text: 'c.task_id = ?', bindings: [taskId] }];
  if (query.sample)
    parts.push({ text: 'c.sample_idx = ANY (?::int[])', bindings: [chosen.map(({ idx }) => idx)] as never });
  if (show !== 'all') parts.push({ text: SHOW[show], bindings: [] });
  const search = searchSql(query.q);
  if (search) parts.push(search);
  parts.push(...conditionsSql(parseWhere(query.where)));
  return { text: parts.map(({ text }) => text).join(' AND '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

/** Caches counts by query and state of the results, because all chunks of one scroll need the same counts. */
export class CountCache {
  readonly #kept = new Map<string, number>();
  readonly #size: number;

  constructor(size = 200) {
    this.#size = size;
  }

  async get(key: string, read: () => Promise<number>): Promise<number> {
    const count = this.#kept.get(key) ?? (await read());
    // Moves the entry to the end, because the newest must be last.
    this.#kept.delete(key);
    this.#kept.set(key, count);
    if (this.#kept.size > this.#size) this.#kept.delete(this.#kept.keys().next().value!);
    return count;
  }
}

export interface VariantTask {
  id: string;
  group_id: string;
  panel_value: string;
}

export async function listVariants(
  db: Knex,
  counts: CountCache,
  task: VariantTask,
  query: ListQuery,
): Promise<AnswerOf<'listVariants'>> {
  const { page = 1, page_size: size = 200, show = 'kept' } = query;
  const order = orderSql(query.sort || DEFAULT_SORT);
  const samples = await readSampleCounts(db, task.id);
  const chosen = chosenOf(samples, query.sample);
  const where = whereSql(task.id, query, show, chosen);
  const total = sum(chosen, 'all');
  // Includes the row counts of the samples, because they change with every ingested part.
  const key = JSON.stringify([
    task.id,
    samples.map(({ all, kept }) => [all, kept]),
    query.sample,
    show,
    query.q,
    query.where,
  ]);
  const counted = async (): Promise<number> => {
    const { rows } = await db.raw<{ rows: [{ n: number }] }>(
      `SELECT count(*) AS n FROM call c WHERE ${where.text}`,
      where.bindings,
    );
    return rows[0].n;
  };
  const [count, { rows }] = await Promise.all([
    query.q || query.where ? counts.get(key, counted) : sum(chosen, show),
    // Selects the page by keys, then reads only its rows by key, so that the planner cannot choose a scan of the task.
    db.raw<{ rows: Omit<CallColumns, 'sample'>[] }>(
      `SELECT ${ROW_COLUMNS} FROM
         (SELECT c.sample_idx, c.allele_key FROM call c WHERE ${where.text} ORDER BY ${order} LIMIT ? OFFSET ?) page,
         LATERAL (SELECT * FROM call r
           WHERE r.task_id = ? AND r.sample_idx = page.sample_idx AND r.allele_key = page.allele_key OFFSET 0) c
        ORDER BY ${order}`,
      [...where.bindings, size, (page - 1) * size, task.id],
    ),
  ]);
  const seen = await readSeen(
    db,
    task,
    rows.map(({ allele_key }) => allele_key),
  );
  const names = new Map(samples.map(({ idx, name }) => [idx, name]));
  return {
    count,
    total,
    results: rows.map((row) => rowOf({ ...row, sample: names.get(row.sample_idx) ?? '' }, seen)),
  };
}

export interface Seen {
  counts: ReadonlyMap<string, number>;
  of: number;
}

/** Returns the number of specimens of the group and panel with each allele, from counters instead of the history. */
export async function readSeen(db: Knex, task: VariantTask, keys: readonly string[]): Promise<Seen> {
  const place = { group_id: task.group_id, panel_value: task.panel_value };
  const [of, rows] = await Promise.all([
    db('specimen_count').where(place).first('n'),
    keys.length === 0
      ? []
      : db('allele_count')
          .where(place)
          .whereRaw('allele_key = ANY (?)', [[...new Set(keys)]])
          .select('allele_key', 'n'),
  ]);
  return { counts: new Map(rows.map(({ allele_key, n }) => [allele_key, n])), of: of?.n ?? 0 };
}

/** A row as ROW_COLUMNS selects it, with its sample's name. */
export type CallColumns = Omit<CallTable, 'task_id' | 'chrom_order' | 'impact_order' | 'search'> & { sample: string };

export function rowOf(row: CallColumns, seen: Seen): VariantRow {
  const { sample_idx, kept, post_group, ...columns } = row;
  return {
    id: `${sample_idx}-${row.allele_key}`,
    ...columns,
    pass: kept,
    group: post_group,
    seen: seen.of === 0 ? null : (seen.counts.get(row.allele_key) ?? 0),
    seen_of: seen.of === 0 ? null : seen.of,
  };
}

export async function listFacets(db: Knex, taskId: string, query: FacetQuery): Promise<AnswerOf<'listVariantFacets'>> {
  const { show = 'kept' } = query;
  const samples = await readSampleCounts(db, taskId);
  const chosen = chosenOf(samples, query.sample);
  const where = whereSql(taskId, query, show, chosen);
  const ranges = VARIANT_COLUMNS.filter(({ facet }) => facet === 'range');
  const lists = VARIANT_COLUMNS.filter(({ facet, type }) => facet === 'values' && type === 'list');
  const [bounds, values, ...unnested] = await Promise.all([
    readBounds(db, where, ranges),
    readValues(db, where, samples),
    ...lists.map((column) => readListValues(db, where, column)),
  ]);
  return {
    count: bounds.count,
    funnel: { all: sum(chosen, 'all'), called: sum(chosen, 'called'), kept: sum(chosen, 'kept') },
    values: Object.fromEntries([...values, ...lists.map(({ key }, i) => [key, unnested[i]!] as const)]),
    ranges: bounds.ranges,
  };
}

type FacetValue = { value: string | null; count: number };

async function readBounds(db: Knex, where: Sql, columns: readonly VariantColumn[]) {
  const bounds = columns.flatMap((column) => [
    `min(${expressionOf(column)}) AS "${column.key}_min"`,
    `max(${expressionOf(column)}) AS "${column.key}_max"`,
  ]);
  const { rows } = await db.raw<{ rows: [{ n: number } & Record<string, number | null>] }>(
    `SELECT count(*) AS n, ${bounds.join(', ')} FROM call c WHERE ${where.text}`,
    where.bindings,
  );
  const row = rows[0];
  return {
    count: row.n,
    ranges: Object.fromEntries(
      columns.map(({ key }) => [key, { min: row[`${key}_min`] ?? null, max: row[`${key}_max`] ?? null }]),
    ),
  };
}

/** Counts all enumerated columns in one scan. Each grouping set counts the values of one column. */
async function readValues(db: Knex, where: Sql, samples: readonly SampleCounts[]): Promise<[string, FacetValue[]][]> {
  const columns = VARIANT_COLUMNS.filter(({ facet, type }) => facet === 'values' && type !== 'list');
  const names = new Map(samples.map(({ idx, name }) => [String(idx), name]));
  const expressions = columns.map((column) => (column.key === 'sample' ? 'c.sample_idx' : expressionOf(column)));
  const { rows } = await db.raw<{ rows: (FacetValue & { set: number })[] }>(
    `SELECT GROUPING(${expressions.join(', ')}) AS set, coalesce(${expressions.map((e) => `(${e})::text`).join(', ')}) AS value, count(*) AS count
       FROM call c WHERE ${where.text} GROUP BY GROUPING SETS (${expressions.map((e) => `(${e})`).join(', ')})`,
    where.bindings,
  );
  const found = columns.map(() => [] as FacetValue[]);
  for (const { set, value, count } of rows) {
    // GROUPING has a 0 bit for the grouped column. The first column has the highest bit.
    const index = columns.findIndex((_, i) => ((set >> (columns.length - 1 - i)) & 1) === 0);
    const isSample = columns[index]?.key === 'sample';
    found[index]?.push({ value: isSample ? (names.get(value ?? '') ?? value) : value, count });
  }
  return columns.map(({ key }, i) => [key, mostFrequent(found[i]!)]);
}

async function readListValues(db: Knex, where: Sql, column: VariantColumn): Promise<FacetValue[]> {
  const { rows } = await db.raw<{ rows: FacetValue[] }>(
    `SELECT v AS value, count(*) AS count FROM call c, unnest(${expressionOf(column)}) v WHERE ${where.text} GROUP BY v`,
    where.bindings,
  );
  return mostFrequent(rows);
}

const mostFrequent = (values: FacetValue[]): FacetValue[] =>
  values.sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1)).slice(0, MAX_FACET_VALUES);
