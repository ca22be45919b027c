/** Connection pools: knex over pg, migrations from a static list. */
import { setTimeout as wait } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from 'pino';
import { MIGRATIONS, type Migration } from '../../migrations/index.ts';

// Sizes and counts are bigint and numeric in Postgres; all of ours are below 2^53, so they are read as numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export interface Timeouts {
  /** Longest statement, as Postgres writes durations; 0: none. */
  statement: string;
  /** Longest wait for a lock. */
  lock: string;
  /** Longest pause inside a transaction. */
  idleInTransaction: string;
}

/** A person waits for the answer, and one slow query must not hold a connection that others need. */
export const REQUEST_TIMEOUTS: Timeouts = { statement: '30s', lock: '10s', idleInTransaction: '60s' };
/** Ingest copies millions of rows in one statement and does file work inside a transaction. */
export const BACKGROUND_TIMEOUTS: Timeouts = { statement: '15min', lock: '30s', idleInTransaction: '15min' };

export interface PoolOptions {
  /** Most connections. */
  max?: number;
  timeouts?: Timeouts;
}

/** Opens a pool; a lost idle connection is logged, not thrown. */
export function openDatabase(url: string, log: Logger, options: PoolOptions = {}): Knex {
  const { max = 10, timeouts = REQUEST_TIMEOUTS } = options;
  const db = knex({
    client: 'pg',
    // Errors of statements stand in logs and must not carry the values of their rows: hashes, sample names, patients.
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
