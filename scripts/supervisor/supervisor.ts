/**
 * Runs the product on one machine: Postgres, the local control plane, operator and api as children that die with it.
 * Started by `node scripts/supervisor/supervisor.ts`, or by startSupervisor.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { checkDataFolder, checkPort, checkPostgresUser, checkTools, makeDataFolder, StartError } from './checks.ts';
import { Child, type ChildSpec, START_CANCELLED } from './child.ts';
import { supervisorConfig } from './config.ts';
import { lockDataFolder, lockHolder } from './data-lock.ts';
import { embeddedPostgres } from './postgres.ts';

export { StartError } from './checks.ts';

/** An api of a supervisor killed a moment ago may still be stopping. */
const PORT_WAIT_MS = 1500;
const ROOT = resolve(import.meta.dirname, '../..');

export interface SupervisorOptions {
  /** Folder for all written files. */
  dataDir: string;
  /** Address of the api. Port 0 takes a free one. */
  host: string;
  port: number;
  namespace: string;
  /** URL of an external Postgres, instead of the embedded one. */
  databaseUrl?: string;
  /** Kubeconfig of an external cluster, instead of the local control plane. */
  kubeconfig?: string;
  /** In tests: commands to run instead of operator and api. */
  commands?: { operator?: string[]; api?: string[] };
  /** Additions to the environment of operator and api. */
  env?: Record<string, string>;
  /** Prints one line for the user at the terminal. */
  say?: (line: string) => void;
  /** Cancels the start, or stops everything in order. */
  signal?: AbortSignal;
  /** Called when a part is ready, in the order of readiness. */
  onReady?: (part: string) => void;
}

export interface Supervisor {
  /** URL of console and API. */
  url: string;
  dataDir: string;
  storageDir: string;
  kubeconfig: string;
  databaseUrl: string;
  /** Current process ids by name. */
  pids(): Record<string, number | undefined>;
  /** Stops everything in order. Resolves when no process is left. */
  stop(): Promise<void>;
}

/** Returns the status of GET url, or 0. */
function statusOf(url: string, method = 'GET', body?: unknown, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((done) => {
    const call = request(
      url,
      { method, headers: { ...headers, 'content-type': 'application/json' }, timeout: 5000 },
      (answer) => {
        answer.resume();
        answer.on('end', () => done(answer.statusCode ?? 0));
        answer.on('error', () => done(0));
      },
    );
    call.on('error', () => done(0));
    call.on('timeout', () => call.destroy());
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** 32 random bytes as hex, created once. */
function secretFile(path: string): string {
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('hex'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
  return path;
}

/**
 * Checks the preconditions, then starts everything. Resolves when the api is ready. After a StartError nothing is left
 * running.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { dataDir, host, namespace, onReady } = options;
  const say = options.say ?? ((line: string) => console.error(line));
  const port = await checkPort(host, options.port, PORT_WAIT_MS);
  checkTools(join(ROOT, 'pipeline-images/debian-packages.txt'));
  if (!options.databaseUrl) checkPostgresUser();
  checkDataFolder(dataDir);
  makeDataFolder(dataDir, say);
  const lock = lockDataFolder(dataDir);
  if (!lock) {
    throw new StartError(
      `SeqPanel is already running on the data folder ${dataDir} (process ${lockHolder(dataDir)}): stop it first, or set SEQPANEL_DATA to another folder.`,
    );
  }
  const children: Child[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      const named = (...names: string[]) =>
        Promise.all(children.filter(({ spec }) => names.includes(spec.name)).map((child) => child.stop()));
      await named('api', 'operator');
      await named('control plane');
      await named('Postgres');
      lock.release();
    })();
    return stopping;
  };
  options.signal?.addEventListener('abort', () => void stop());
  const run = async (spec: ChildSpec): Promise<void> => {
    const child = new Child(spec, say);
    if (stopping) throw new StartError(START_CANCELLED);
    children.push(child);
    await child.start();
    onReady?.(spec.name);
  };
  try {
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    const storageDir = join(dataDir, 'storage');
    mkdirSync(storageDir, { recursive: true });
    const postgres = options.databaseUrl ? undefined : embeddedPostgres(dataDir, join(logs, 'postgres.log'));
    const databaseUrl = options.databaseUrl ?? postgres!.databaseUrl;
    const kubeconfig = options.kubeconfig ?? join(dataDir, 'kubeconfig');
    const env: Record<string, string> = {
      SEQPANEL_DATA: dataDir,
      SEQPANEL_STORAGE: storageDir,
      SEQPANEL_NAMESPACE: namespace,
      SEQPANEL_HOST: host,
      SEQPANEL_PORT: String(port),
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_CONSOLE_DIR: join(ROOT, 'console/dist'),
      SEQPANEL_SECRET_FILE: secretFile(join(dataDir, 'secret')),
      SEQPANEL_FIRST_ADMIN_FILE: join(dataDir, 'first-admin.txt'),
      SEQPANEL_LEADER_ELECTION: 'off',
      SEQPANEL_LOG_FORMAT: 'json',
      KUBECONFIG: kubeconfig,
      DATABASE_URL: databaseUrl,
      ...(postgres && { SEQPANEL_DATABASE_OWNER_URL: postgres.ownerUrl }),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(dataDir, 'cache/compile'),
    };
    const node = (file: string): string[] => [
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      join(ROOT, file),
    ];
    const api = `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;

    const startControlPlane = async (): Promise<void> => {
      const controlPort = await checkPort('127.0.0.1', 0);
      await run({
        name: 'control plane',
        command: node('operator/src/local/main.ts'),
        env: { ...env, SEQPANEL_CONTROL_PLANE_PORT: String(controlPort) },
        logFile: join(logs, 'control-plane.log'),
        isReady: async () =>
          (await statusOf(`http://127.0.0.1:${controlPort}/readyz`)) === 200 && existsSync(kubeconfig),
      });
    };
    const database = postgres ? run(postgres.spec) : Promise.resolve();
    const cluster = options.kubeconfig ? Promise.resolve() : startControlPlane();
    const operator = cluster.then(() =>
      run({
        name: 'operator',
        command: options.commands?.operator ?? node('operator/src/main.ts'),
        env: { ...env, ...options.env },
        logFile: join(logs, 'operator.log'),
        isReady: () => true,
      }),
    );
    const server = Promise.all([database, cluster]).then(() =>
      run({
        name: 'api',
        command: options.commands?.api ?? node('api/src/main.ts'),
        // Same as in the api's image: a file system that hangs must not block every thread of libuv.
        env: { ...env, UV_THREADPOOL_SIZE: '16', ...options.env },
        logFile: join(logs, 'api.log'),
        // Short, because uploads can be resumed and requests repeated while the user waits at the terminal.
        stopMs: 3000,
        isReady: async () => (await statusOf(`${api}/readyz`)) === 200,
      }),
    );
    await Promise.all([operator, server]);
    const pids = () => Object.fromEntries(children.map((child) => [child.spec.name, child.pid]));
    return { url: api, dataDir, storageDir, kubeconfig, databaseUrl, pids, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs the command: reads the environment, prints the console's address, stops on Ctrl-C and SIGTERM. */
async function main(): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  try {
    const supervisor = await startSupervisor({ ...supervisorConfig(process.env), signal: ending.signal });
    console.log(`SeqPanel is ready: ${supervisor.url}`);
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    await supervisor.stop();
  } catch (error) {
    if (!ending.signal.aborted) {
      console.error((error as Error).message);
      process.exit(1);
    }
  }
  process.exit(0);
}

if (import.meta.main) await main();
