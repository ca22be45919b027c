/** Opens transactions and identifies unique violations. */
import type { Knex } from 'knex';

/** Runs `work` in one transaction; rolls back and rethrows when it throws. */
export async function withTransaction<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return await db.transaction(work);
}

/** Returns the constraint of a unique violation (23505), else undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
