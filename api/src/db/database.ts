/** The connection pool: knex over pg, migrations from a static list. */
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
    migrations: { migrationSource },
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
