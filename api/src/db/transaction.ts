/** The one way to open a transaction, and the Postgres errors that services tell apart. */
import type { Knex } from 'knex';

/** Runs `work` in one transaction; rolls back and rethrows when it throws. */
export async function withTransaction<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return await db.transaction(work);
}

/** The constraint that a unique violation (23505) names, else undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
