/** Statements that each connection parses and plans once, which takes longer than to run a short one. */
import type { Knex } from 'knex';

/**
 * Runs the statement with the values of $1, $2 and so on, and returns its rows. The text of a name must never vary, and
 * must list its columns: after a migration Postgres rejects a prepared `SELECT *`.
 */
export async function runPrepared<Row>(
  db: Knex,
  name: string,
  sql: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql).options({ name, values });
  return rows;
}
