/** Reads one page of a list and the total number of rows. */
import type { Knex } from 'knex';

export interface PageQuery {
  page?: number;
  page_size?: number;
  /** Number of rows to skip, instead of `page`. */
  offset?: number;
}

/**
 * `rows` selects and filters; `arrange` adds columns and order. The caller states the type of a row. Defaults match the
 * document: page 1, 20 rows.
 */
export async function pageOf<Row extends object>(
  rows: Knex.QueryBuilder,
  { page = 1, page_size: size = 20, offset = (page - 1) * size }: PageQuery,
  arrange: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<{ count: number; results: Row[] }> {
  const [counted, results] = await Promise.all([
    rows.clone().clearSelect().clearOrder().count({ count: '*' }).first(),
    arrange(rows.clone()).limit(size).offset(offset),
  ]);
  return { count: Number(counted?.count ?? 0), results };
}
