/** Where the database is and who works on it, from the environment. */
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
  /** Of the role that serves requests. */
  databaseUrl: string;
  /** Of the role that owns the schema and migrates it; undefined: the same role does both. */
  databaseOwnerUrl: string | undefined;
  /** Most connections for requests; background work has half as many of its own. */
  databasePool: number;
}

/** Throws an Error that names the variable and what is wrong with it. */
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

/** Reads only what a program needs that works on the database alone. */
export const readDatabaseSettings = (env: Readonly<Record<string, string | undefined>>): DatabaseSettings =>
  databaseSettings(readSettings(z.object(DATABASE_ENV), withoutEmpty(env)));

/** A mounted password keeps out of the environment, which every tool of the process can read. */
function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url;
  const parsed = new URL(url);
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Returns the text of a mounted secret without the line's end; undefined without a file. Throws with the setting's name. */
export function readSecretFile(name: string, file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`${name}: ${file} cannot be read`, { cause });
  }
}
