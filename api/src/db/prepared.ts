/** Statements that each connection parses and plans once, which takes longer than to run a short one. */
import type { Knex } from 'knex';

/** Runs the statement with the values of $1, $2 and so on, and returns its rows. The text of a name must never vary. */
export async function runPrepared<Row>(
  db: Knex,
  name: string,
  sql: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const run = async (options: { name?: string }): Promise<Row[]> =>
    (await db.raw<{ rows: Row[] }>(sql).options({ ...options, values })).rows;
  try {
    return await run({ name });
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return await run({});
  }
}

/** Reports that a migration has changed the type of a result's column since the connection prepared the statement. */
function isOutdated(error: unknown): boolean {
  const { code, routine } = (error ?? {}) as { code?: string; routine?: string };
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
