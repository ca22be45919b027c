/** Reads one page of a list and the total number of rows. */
import type { Knex } from 'knex';

export interface PageQuery {
  page?: number;
  page_size?: number;
  /** Number of rows to skip, instead of `page`. */
  offset?: number;
}

/**
 * `rows` selects and filters; `arrange` selects columns, if only `*`, and adds the order. The caller states the type of a row. Defaults match the
 * document: page 1, 20 rows.
 */
export async function pageOf<Row extends object>(
  rows: Knex.QueryBuilder,
  { page = 1, page_size: size = 20, offset = (page - 1) * size }: PageQuery,
  arrange: (rows: Knex.QueryBuilder) => Knex.QueryBuilder,
): Promise<{ count: number; results: Row[] }> {
  const counting = rows.clone().clearSelect().clearOrder().count({ total: '*' });
  const results: (Row & { total: number })[] = await arrange(rows.clone())
    .select(counting.clone().as('total'))
    .limit(size)
    .offset(offset);
  if (results[0] || offset === 0) return { count: results[0]?.total ?? 0, results };
  // A page after the last one has no row that carries the number.
  const [counted] = await counting;
  return { count: counted.total, results };
}
