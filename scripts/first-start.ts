/** What a first start leaves in the data folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** There once the demo has ended. */
export const demoDone = (dataDir: string): string => join(dataDir, 'demo-done');

/** Written by the api for the first administrator; gone once the password was changed. */
export const firstAdminFile = (dataDir: string): string => join(dataDir, 'first-admin.txt');

/** Written by the api for the demo's account; gone once the demo has ended. */
export const demoAccountFile = (dataDir: string): string => join(dataDir, 'demo-account.txt');

/** The name and password in one of these files; undefined where there is none. */
export function readLogin(path: string): { username: string; password: string } | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const username = /username:\s*(\S+)/i.exec(text)?.[1];
  const password = /password:\s*(\S+)/i.exec(text)?.[1];
  return username && password ? { username, password } : undefined;
}
