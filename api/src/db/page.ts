/** One page of a list, and how many rows there are in all. */
import type { Knex } from 'knex';

export interface PageQuery {
  page?: number;
  page_size?: number;
  /** Rows before the first one, in place of `page`. */
  offset?: number;
}

/** `rows` selects and filters; `arrange` adds columns and order. The caller states the type of a row. Defaults as in the document: page 1, 20 rows. */
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
