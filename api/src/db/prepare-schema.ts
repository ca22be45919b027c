/** Migrates when the api starts, or before it in a separate program (prepare-database.ts). */
import type { Logger } from 'pino';
import { openDatabase, waitForDatabase } from './database.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { isMigrationDue, MIGRATION_TIMEOUTS, migrate } from './migrate.ts';
import type { ServingRole } from './roles.ts';

/** The api and Postgres start at the same time. After this time the supervisor or kubelet restarts the process. */
const DATABASE_WAIT_S = 60;
const CONNECTIONS = 3;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Resolves when the schema is that of this release or a later one. If this role may not migrate, the error says what to
 * do.
 */
export async function prepareSchema(settings: DatabaseSettings, log: Logger): Promise<void> {
  const { databaseOwnerUrl, databaseUrl } = settings;
  const options = { max: CONNECTIONS, timeouts: MIGRATION_TIMEOUTS };
  const owner = openDatabase(databaseOwnerUrl ?? databaseUrl, log, options);
  try {
    await waitForDatabase(owner, log, DATABASE_WAIT_S);
    if (databaseOwnerUrl) await migrate(owner, roleOf(databaseUrl));
    else if (await isMigrationDue(owner)) await migrate(owner);
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE || databaseOwnerUrl) throw error;
    throw new Error(
      'schema of an older release, and the role of DATABASE_URL may not migrate it: set SEQPANEL_DATABASE_OWNER_URL, or run api/src/prepare-database.ts with it first',
      { cause: error },
    );
  } finally {
    await owner.destroy();
  }
}

/** Returns the user and password of a URL. */
function roleOf(url: string): ServingRole {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: password === '' ? undefined : decodeURIComponent(password) };
}
