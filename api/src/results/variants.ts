/** Chunks of the variant table, their counts and facets. One table is read; the count of a filter is kept for its pages. */

import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import type { AnswerOf, Call } from '../feature.ts';
import { conditionSql, expressionOf, orderSql, parseWhere, type Sql, searchSql } from './variant-sql.ts';

export type VariantRow = AnswerOf<'listVariants'>['results'][number];
type ListQuery = Call<'listVariants'>['query'];
type FacetQuery = Call<'listVariantFacets'>['query'];

const DEFAULT_SORT = '-impact,-vaf,chrom,pos';
const MAX_FACET_VALUES = 100;

const SHOW = { kept: 'c.kept', called: 'c.called', all: 'true' } as const;

/** Columns of `call` that an answer needs; the evidence in `info` is read for one row alone. */
export const ROW_COLUMNS = `c.sample_idx, c.allele_key, s.name AS sample, c.chrom, c.pos, c.ref, c.alt, c.type, c.length, c.amplicon,
  c.vaf, c.vaf_low, c.vaf_high, c.depth, c.alt_count, c.alt_forward, c.alt_reverse, c.ref_forward, c.ref_reverse, c.quality,
  c.strand_ratio, c.strand_p, c.zygosity, c.consequence, c.impact, c.gene, c.transcript, c.transcripts, c.hgvs_c, c.hgvs_p, c.hgvs_g,
  c.exon, c.intron, c.sift, c.polyphen, c.population_af, c.clinical_significance, c.rsid, c.filter, c.called, c.kept, c.post_group,
  c.hotspot, c.somatic, c.normal_vaf, c.normal_depth`;
const FROM = 'FROM call c JOIN task_sample s ON s.task_id = c.task_id AND s.idx = c.sample_idx';

/** The rows of a task that the query asks for, as a WHERE clause. */
function whereSql(taskId: string, query: Omit<FacetQuery, 'show'>, show: keyof typeof SHOW): Sql {
  const parts: Sql[] = [{ text: 'c.task_id = ?', bindings: [taskId] }];
  if (query.sample) {
    const names = query.sample.split(',').filter((name) => name !== '');
    parts.push({
      text: 'c.sample_idx = ANY (SELECT idx FROM task_sample WHERE task_id = ? AND name = ANY (?))',
      bindings: [taskId, names] as never,
    });
  }
  if (show !== 'all') parts.push({ text: SHOW[show], bindings: [] });
  const search = searchSql(query.q);
  if (search) parts.push(search);
  parts.push(...parseWhere(query.where).map(conditionSql));
  return { text: parts.map(({ text }) => text).join(' AND '), bindings: parts.flatMap(({ bindings }) => bindings) };
}

interface Counted {
  count: number;
  total: number;
}

/** Counts by query and state of the results: the chunks of one scroll ask for the same. */
export class CountCache {
  readonly #kept = new Map<string, Counted>();
  readonly #size: number;

  constructor(size = 200) {
    this.#size = size;
  }

  async get(key: string, read: () => Promise<Counted>): Promise<Counted> {
    const found = this.#kept.get(key);
    if (found) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found;
    }
    const counted = await read();
    this.#kept.set(key, counted);
    if (this.#kept.size > this.#size) this.#kept.delete(this.#kept.keys().next().value!);
    return counted;
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
  const where = whereSql(task.id, query, show);
  const version = await ingestVersion(db, task.id);
  const key = JSON.stringify([task.id, version, query.sample, show, query.q, query.where]);
  const [{ count, total }, { rows }] = await Promise.all([
    counts.get(key, () => readCounts(db, task.id, query, where)),
    db.raw(`SELECT ${ROW_COLUMNS} ${FROM} WHERE ${where.text} ORDER BY ${order} LIMIT ? OFFSET ?`, [
      ...where.bindings,
      size,
      (page - 1) * size,
    ]),
  ]);
  const seen = await readSeen(
    db,
    task,
    rows.map(({ allele_key }: { allele_key: string }) => allele_key),
  );
  return { count, total, results: rows.map((row: CallColumns) => rowOf(row, seen)) };
}

/** Changes with each part that comes in. */
async function ingestVersion(db: Knex, taskId: string): Promise<string> {
  const row = await db('ingest').where({ task_id: taskId }).first(db.raw('count(*) AS n'), db.raw('max(done) AS last'));
  return `${row?.n}/${row?.last?.getTime() ?? 0}`;
}

async function readCounts(db: Knex, taskId: string, query: FacetQuery, where: Sql): Promise<Counted> {
  const all = whereSql(taskId, { sample: query.sample }, 'all');
  const [matching, whole] = await Promise.all([
    db.raw(`SELECT count(*) AS n ${FROM} WHERE ${where.text}`, where.bindings),
    db.raw(`SELECT count(*) AS n FROM call c WHERE ${all.text}`, all.bindings),
  ]);
  return { count: Number(matching.rows[0].n), total: Number(whole.rows[0].n) };
}

export interface Seen {
  counts: ReadonlyMap<string, number>;
  of: number;
}

/** In how many specimens of the group and panel each allele was called. */
export async function readSeen(db: Knex, task: VariantTask, keys: readonly string[]): Promise<Seen> {
  const place = { group_id: task.group_id, panel_value: task.panel_value };
  const of = await db('observed_specimen').where(place).count({ n: '*' }).first();
  const rows: { allele_key: string; n: number }[] =
    keys.length === 0
      ? []
      : await db('observation')
          .where(place)
          .whereIn('allele_key', [...new Set(keys)])
          .groupBy('allele_key')
          .select('allele_key', db.raw('count(*) AS n'));
  return { counts: new Map(rows.map(({ allele_key, n }) => [allele_key, Number(n)])), of: Number(of?.n ?? 0) };
}

// biome-ignore lint/suspicious/noExplicitAny: the columns of ROW_COLUMNS
export type CallColumns = any;

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
  const where = whereSql(taskId, query, show);
  const scope = whereSql(taskId, { sample: query.sample }, 'all');
  const ranges = VARIANT_COLUMNS.filter(({ facet }) => facet === 'range');
  const bounds = ranges.flatMap((column) => [
    `min(${expressionOf(column)}) AS "${column.key}_min"`,
    `max(${expressionOf(column)}) AS "${column.key}_max"`,
  ]);
  const [bound, funnel, ...values] = await Promise.all([
    db.raw(`SELECT count(*) AS n, ${bounds.join(', ')} ${FROM} WHERE ${where.text}`, where.bindings),
    db.raw(
      `SELECT count(*) AS "all", count(*) FILTER (WHERE c.called) AS called, count(*) FILTER (WHERE c.kept) AS kept FROM call c WHERE ${scope.text}`,
      scope.bindings,
    ),
    ...VARIANT_COLUMNS.filter(({ facet }) => facet === 'values').map((column) => {
      const value = column.type === 'list' ? `unnest(${expressionOf(column)})` : expressionOf(column);
      return db
        .raw(
          `SELECT v AS value, count(*) AS count FROM (SELECT ${value} AS v ${FROM} WHERE ${where.text}) x GROUP BY v ORDER BY count(*) DESC, v LIMIT ?`,
          [...where.bindings, MAX_FACET_VALUES],
        )
        .then(({ rows }) => [column.key, rows] as const);
    }),
  ]);
  const row = bound.rows[0];
  return {
    count: Number(row.n),
    funnel: funnel.rows[0],
    values: Object.fromEntries(values),
    ranges: Object.fromEntries(ranges.map(({ key }) => [key, { min: row[`${key}_min`], max: row[`${key}_max`] }])),
  };
}
