/** Reads the database URLs, passwords and pool size from the environment. */
import { readFileSync } from 'node:fs';
import { readSettings, wholeNumber, withoutEmpty } from '@seqpanel/crds/settings.ts';
import { z } from 'zod';

export const DATABASE_ENV = {
  DATABASE_URL: z.string().min(1),
  SEQPANEL_DATABASE_PASSWORD_FILE: z.string().optional(),
  SEQPANEL_DATABASE_OWNER_URL: z.string().min(1).optional(),
  SEQPANEL_DATABASE_OWNER_PASSWORD_FILE: z.string().optional(),
  SEQPANEL_DATABASE_POOL: wholeNumber(2, 200).default(10),
};

export interface DatabaseSettings {
  /** URL of the role that serves requests. */
  databaseUrl: string;
  /** URL of the role that owns the schema and migrates it. Undefined: one role does both. */
  databaseOwnerUrl: string | undefined;
  /** Maximum connections for requests. Background work has a pool of half this size. */
  databasePool: number;
}

/** Throws an Error that names the variable and its problem. */
export function databaseSettings(value: z.output<z.ZodObject<typeof DATABASE_ENV>>): DatabaseSettings {
  const owner = value.SEQPANEL_DATABASE_OWNER_URL;
  return {
    databaseUrl: withPassword(
      value.DATABASE_URL,
      readSecretFile('SEQPANEL_DATABASE_PASSWORD_FILE', value.SEQPANEL_DATABASE_PASSWORD_FILE),
    ),
    databaseOwnerUrl:
      owner &&
      withPassword(
        owner,
        readSecretFile('SEQPANEL_DATABASE_OWNER_PASSWORD_FILE', value.SEQPANEL_DATABASE_OWNER_PASSWORD_FILE),
      ),
    databasePool: value.SEQPANEL_DATABASE_POOL,
  };
}

/** Reads the settings for programs that use only the database. */
export const readDatabaseSettings = (env: Readonly<Record<string, string | undefined>>): DatabaseSettings =>
  databaseSettings(readSettings(z.object(DATABASE_ENV), withoutEmpty(env)));

/** Reads the password from a mounted file, because every tool of the process can read the environment. */
function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url;
  const parsed = new URL(url);
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/**
 * Returns the text of a mounted secret without its final newline, or undefined without a file. Errors name the setting.
 */
export function readSecretFile(name: string, file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`${name}: ${file} cannot be read`, { cause });
  }
}
