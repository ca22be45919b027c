/** Opens connection pools (knex over pg) with a static list of migrations. */
import { setTimeout as wait } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import { MIGRATIONS, type Migration } from '../../migrations/index.ts';

// Reads bigint and numeric as numbers, because all our sizes and counts are below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export interface Timeouts {
  /** Statement timeout in Postgres notation; 0 means none. */
  statement: string;
  /** Lock timeout. */
  lock: string;
  /** Timeout of an idle transaction. */
  idleInTransaction: string;
}

/** Short, because a user waits for the answer and a slow query must not hold a connection that others need. */
export const REQUEST_TIMEOUTS: Timeouts = { statement: '30s', lock: '10s', idleInTransaction: '60s' };
/** Long, because ingest copies millions of rows in one statement and reads files inside a transaction. */
export const BACKGROUND_TIMEOUTS: Timeouts = { statement: '15min', lock: '30s', idleInTransaction: '15min' };

export interface PoolOptions {
  /** Maximum number of connections. */
  max?: number;
  timeouts?: Timeouts;
}

/** Opens a pool. Logs the loss of an idle connection instead of throwing. */
export function openDatabase(url: string, log: Logger, options: PoolOptions = {}): Knex {
  const { max = 10, timeouts = REQUEST_TIMEOUTS } = options;
  const db = knex({
    client: 'pg',
    // Keeps values out of error messages, because logs must not contain hashes, sample names or patients.
    compileSqlOnError: false,
    connection: {
      connectionString: url,
      application_name: 'seqpanel-api',
      options: [
        `-c statement_timeout=${timeouts.statement}`,
        `-c lock_timeout=${timeouts.lock}`,
        `-c idle_in_transaction_session_timeout=${timeouts.idleInTransaction}`,
      ].join(' '),
    },
    pool: { min: 0, max, idleTimeoutMillis: 30_000 },
    acquireConnectionTimeout: 15_000,
    // Allows unknown migrations: after a rollback the older release finds those of the newer one (docs/adr/0040).
    migrations: { migrationSource, disableMigrationsListValidation: true },
    log: {
      warn: (message) => log.warn({ message }, 'knex warning'),
      error: (message) => log.error({ message }, 'knex error'),
      deprecate: (message) => log.warn({ message }, 'knex deprecation'),
      debug: (message) => log.debug({ message }, 'knex'),
    },
  });
  // Without a handler, pg ends the process when Postgres restarts.
  (db.client as { pool: { on(event: string, handler: (id: unknown, connection: pg.Client) => void): void } }).pool.on(
    'createSuccess',
    (_id, connection) => {
      connection.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
    },
  );
  return db;
}

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(MIGRATIONS).sort(),
  getMigrationName: (name) => name,
  getMigration: async (name) => MIGRATIONS[name] as Migration,
};

/** Waits until the database answers. Throws its error after `seconds`. */
export async function waitForDatabase(db: Knex, log: Logger, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (let isLogged = false; ; isLogged = true) {
    try {
      await db.raw('SELECT 1');
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      if (!isLogged) log.warn({ err: error }, 'database does not answer, retrying');
      await wait(500);
    }
  }
}
