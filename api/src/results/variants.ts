/** Reads chunks of the variant table and their counts. Scans one table, and only when no count is cached. */

import type { Knex } from 'knex';
import type { AnswerOf, Call } from '../feature.ts';
import { type CallColumns, ROW_COLUMNS, readSeen, rowOf, type VariantTask } from './variant-row.ts';
import { chosenOf, readSampleCounts, sum, whereSql } from './variant-selection.ts';
import { orderSql } from './variant-sql.ts';

type ListQuery = Call<'listVariants'>['query'];

const DEFAULT_SORT = '-impact,-vaf,chrom,pos';

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
