/** Migrates the schema as its owner and grants the serving role the rights it needs. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { grantServing, type ServingRole } from './roles.ts';

/** Key of the advisory lock. Any fixed number works. */
const MIGRATION_LOCK = 7_306_142;
/** A statement that waits longer for a lock would block everything behind it, so it gives up and retries. */
const LOCK_TIMEOUT = '10s';
const LOCK_TRIES = 30;
const LOCK_RETRY_MS = 2_000;
const LOCK_POLL_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';

/** Reports whether this release has migrations that the database lacks. */
export async function isMigrationDue(db: Knex): Promise<boolean> {
  if (!(await db.schema.hasTable('knex_migrations'))) return true;
  const [, due] = (await db.migrate.list()) as [unknown[], unknown[]];
  return due.length > 0;
}

/**
 * Runs the migrations. Several processes may call it at once: one migrates and the others wait. `owner` is a pool of
 * the role that owns the schema. Throws the first error of a migration.
 */
export async function migrate(owner: Knex, serving?: ServingRole): Promise<void> {
  const client = (await owner.client.acquireConnection()) as pg.Client;
  try {
    await lock(client);
    try {
      // A process killed during a migration leaves knex's lock row set. Our advisory lock ended with its connection.
      if (await owner.schema.hasTable('knex_migrations_lock'))
        await owner('knex_migrations_lock').update({ is_locked: 0 });
      await withPatience(() => owner.migrate.latest());
      if (serving) await grantServing(owner, serving);
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  } finally {
    await owner.client.releaseConnection(client);
  }
}

/**
 * Polls for the lock instead of waiting in Postgres: a waiting statement holds a snapshot, and an index built
 * CONCURRENTLY under the lock would wait for that snapshot.
 */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [MIGRATION_LOCK]);
    if (rows[0].held) return;
    await wait(LOCK_POLL_MS);
  }
}

/** Timeouts of a pool that migrates: none for statements, a short one for locks. */
export const MIGRATION_TIMEOUTS = { statement: '0', lock: LOCK_TIMEOUT, idleInTransaction: '0' };

async function withPatience(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries >= LOCK_TRIES) throw error;
      await wait(LOCK_RETRY_MS);
    }
  }
}
