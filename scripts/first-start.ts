/** What a first start leaves in the data folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** There once the demo has ended. */
export const demoDone = (dataDir: string): string => join(dataDir, 'demo-done');

/** Written by the api for the first administrator; gone once the password was changed. */
export const firstAdminFile = (dataDir: string): string => join(dataDir, 'first-admin.txt');

export function firstPassword(dataDir: string): { username: string; password: string } | undefined {
  const path = firstAdminFile(dataDir);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const username = /username:\s*(\S+)/i.exec(text)?.[1];
  const password = /password:\s*(\S+)/i.exec(text)?.[1];
  return username && password ? { username, password } : undefined;
}
