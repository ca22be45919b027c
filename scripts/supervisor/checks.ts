/** Checks the preconditions of a start. Each failure is one sentence that says what to do. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { isRunnable } from '../../operator/src/local/pods/pod-files.ts';
import { hasUserNamespaces } from '../../operator/src/local/pods/pod-process.ts';
import { LOCK_FILE } from './data-lock.ts';

/** A start that is impossible. The message is for the user at the terminal. */
export class StartError extends Error {}

/** With less free space the databases could be damaged during a run. */
const FREE_MIN_BYTES = 1e9;
const PORT_RETRY_MS = 50;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Opens and closes the port. Resolves with its number (a free one for 0). */
function tryPort(host: string, port: number): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : port));
    });
  });
}

/**
 * Resolves with the free port (0 finds any), or throws StartError. `waitMs`: how long to retry a port in use, because
 * its process may be ending, for example after a SIGKILL.
 */
export async function checkPort(host: string, port: number, waitMs = 0): Promise<number> {
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      return await tryPort(host, port);
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && Date.now() < until) {
        await new Promise((done) => setTimeout(done, PORT_RETRY_MS));
        continue;
      }
      const why: Record<string, string> = {
        EADDRINUSE: `Port ${port} on ${host} is in use: stop the process that uses it, or set SEQPANEL_PORT to another port.`,
        EACCES: `Port ${port} cannot be opened by this user: set SEQPANEL_PORT to a port above 1023.`,
        EADDRNOTAVAIL: `This machine has no address ${host}: set SEQPANEL_HOST to one of its addresses, such as 127.0.0.1.`,
      };
      throw new StartError(why[code] ?? `Port ${port} on ${host} cannot be opened (${message}).`);
    }
  }
}

/** Checks that the folder, or its nearest existing parent, is writable and has enough space. Creates nothing. */
export function checkDataFolder(dataDir: string): void {
  let existing = resolve(dataDir);
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new StartError(
      `The data folder ${dataDir} cannot be written: change its owner, or set SEQPANEL_DATA to another folder.`,
    );
  }
  const { bavail, bsize } = statfsSync(existing);
  if (bavail * bsize < FREE_MIN_BYTES) {
    const free = Math.round((bavail * bsize) / 1e6);
    throw new StartError(
      `Only ${free} MB free for the data folder ${dataDir}, at least 1 GB required: free some space, or set SEQPANEL_DATA to a folder on another disk.`,
    );
  }
}

/**
 * Creates the folder without access for other users, because it holds results and secrets. Does not change the
 * permissions of an existing folder with other files; `say` reports it. Throws StartError.
 */
export function makeDataFolder(dataDir: string, say: (line: string) => void): void {
  try {
    const isOurs = isDataFolder(dataDir);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    const { mode, uid } = statSync(dataDir);
    if ((mode & OTHERS) === 0) return;
    if (isOurs && uid === process.getuid?.()) chmodSync(dataDir, 0o700);
    else say(`Other users of this machine can read the data folder ${dataDir}: close it with chmod 0700 ${dataDir}.`);
  } catch (error) {
    throw new StartError(
      `The data folder ${dataDir} cannot be created (${(error as Error).message}): set SEQPANEL_DATA to another folder.`,
    );
  }
}

/** Reports whether the folder is new, empty, or was used by the product before. */
const isDataFolder = (dataDir: string): boolean =>
  !existsSync(dataDir) || existsSync(join(dataDir, LOCK_FILE)) || readdirSync(dataDir).length === 0;

/** Checks the programs of the steps (`packages`: lines "program, tab, Debian package") and of the job runner. */
export function checkTools(packages: string): void {
  const lines = existsSync(packages) ? readFileSync(packages, 'utf8').split('\n') : [];
  const tools = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
  const wanted = [...tools, ['setpriv', 'util-linux'], ['unshare', 'util-linux'], ['nice', 'coreutils']];
  const missing = wanted.filter(([program]) => !isRunnable(program!, process.env['PATH'] ?? ''));
  if (missing.length === 0) return;
  const names = missing.map(([program]) => program).join(', ');
  const line = [...new Set(missing.map(([, name]) => name))].join(' ');
  throw new StartError(
    `Missing programs: ${names}. Install them, then start again: apt-get install --no-install-recommends ${line}`,
  );
}

/** Checks for user namespaces when running as root, because Postgres refuses to run as root. */
export function checkPostgresUser(): void {
  if (process.getuid?.() === 0 && !hasUserNamespaces()) {
    throw new StartError(
      'Postgres does not run as root and this machine allows no user namespaces: start as another user, or set DATABASE_URL to your own Postgres.',
    );
  }
}

/**
 * Creates a folder for sockets. Rejects one that another user created or can enter, because Postgres trusts everyone
 * who connects there. Throws StartError.
 */
export function makeSocketFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & OTHERS) === 0) return;
  throw new StartError(
    `The folder ${folder} for the database's socket is open to other users of this machine: remove it, then start again.`,
  );
}
