/** The connection pool: knex over pg, migrations from a static list. */
import { setTimeout as wait } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import { MIGRATIONS, type Migration } from '../../migrations/index.ts';

// Sizes and counts are bigint and numeric in Postgres; all of ours are below 2^53, so they are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** Opens a pool of at most `max` connections; a lost idle connection is logged, not thrown. */
export function openDatabase(url: string, log: Logger, max = 10): Knex {
  const db = knex({
    client: 'pg',
    connection: { connectionString: url, application_name: 'seqpanel-api' },
    pool: { min: 0, max, idleTimeoutMillis: 30_000 },
    acquireConnectionTimeout: 15_000,
    // A release that was rolled back finds migrations that it does not know: the schema stays readable for it (see README).
    migrations: { migrationSource, disableMigrationsListValidation: true },
    log: {
      warn: (message) => log.warn({ message }, 'knex warns'),
      error: (message) => log.error({ message }, 'knex fails'),
      deprecate: (message) => log.warn({ message }, 'knex deprecates'),
      debug: (message) => log.debug({ message }, 'knex'),
    },
  });
  // Without a handler, pg ends the process when Postgres restarts.
  (db.client as { pool: { on(event: string, handler: (id: unknown, connection: pg.Client) => void): void } }).pool.on(
    'createSuccess',
    (_id, connection) => {
      connection.on('error', (error) => log.warn({ err: error }, 'A database connection was lost'));
    },
  );
  return db;
}

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(MIGRATIONS).sort(),
  getMigrationName: (name) => name,
  getMigration: async (name) => MIGRATIONS[name] as Migration,
};

/** Resolves when the database answers; throws its refusal after `seconds`. */
export async function waitForDatabase(db: Knex, log: Logger, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (let told = false; ; told = true) {
    try {
      await db.raw('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      if (!told) log.warn({ err: error }, 'The database does not answer yet; it is waited for');
      await wait(500);
    }
  }
}

/** Brings the schema up to date; several processes may call it at once, one does the work. */
export async function migrate(db: Knex): Promise<void> {
  const MIGRATION_LOCK = 7_306_142; // any fixed number: the key of our advisory lock
  const client = (await db.client.acquireConnection()) as pg.Client;
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      // A process killed inside a migration leaves knex's own lock row set; ours was held by its connection alone.
      if (await db.schema.hasTable('knex_migrations_lock')) await db('knex_migrations_lock').update({ is_locked: 0 });
      await db.migrate.latest();
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  } finally {
    await db.client.releaseConnection(client);
  }
}
