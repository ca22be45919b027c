/** Files that a first start writes to the data folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Exists after the demo has finished. */
export const demoDone = (dataDir: string): string => join(dataDir, 'demo-done');

/** Written by the api for the first administrator and deleted after the password was changed. */
export const firstAdminFile = (dataDir: string): string => join(dataDir, 'first-admin.txt');

/** Written by the api for the demo account and deleted after the demo. */
export const demoAccountFile = (dataDir: string): string => join(dataDir, 'demo-account.txt');

/** Reads the name and password from one of these files. Returns undefined when it is missing. */
export function readLogin(path: string): { username: string; password: string } | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const username = /username:\s*(\S+)/i.exec(text)?.[1];
  const password = /password:\s*(\S+)/i.exec(text)?.[1];
  return username && password ? { username, password } : undefined;
}
