/**
 * Migrates the database and exits. Runs as the chart's init container, which has the owner's password (the api does
 * not) and no time limit for a large migration.
 */
import { pino } from 'pino';
import { readDatabaseSettings } from './db/database-settings.ts';
import { prepareSchema } from './db/prepare-schema.ts';

const log = pino();
try {
  await prepareSchema(readDatabaseSettings(process.env), log);
  log.info('schema is up to date');
} catch (error) {
  process.stderr.write(`seqpanel database: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
