/** Runs the whole product like `npm start -- --no-demo` on a temporary data folder, for tests across packages. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RestClient } from '../../scripts/demo/rest-client.ts';
import { firstAdminFile, readLogin } from '../../scripts/first-start.ts';
import { logInAsAdmin } from './sign-in.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface Product {
  url: string;
  dataDir: string;
  storageDir: string;
  process: ChildProcess;
  /** All output so far. */
  output(): string;
  /** The first administrator, logged in with the password of sign-in.ts. */
  admin(): Promise<RestClient>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
  /** Stops the product, then removes the data folder. */
  dispose(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the product and waits until the api is ready. Throws with its output when it exits before. */
export async function startProduct(
  options: { dataDir?: string; port?: number; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'seqpanel-product-'));
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts', 'serve.ts'), '--no-demo'],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'compile'),
        SEQPANEL_DATA: dataDir,
        SEQPANEL_HOST: '127.0.0.1',
        SEQPANEL_PORT: String(port),
        ...options.env,
      },
    },
  );
  const chunks: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const output = (): string => chunks.join('');
  const deadline = Date.now() + (options.timeoutMs ?? 60_000);
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the product ended with ${child.exitCode ?? child.signalCode}:\n${output()}`);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the product was not ready in time:\n${output()}`);
    }
    await wait(50);
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {
    url,
    dataDir,
    storageDir: join(dataDir, 'storage'),
    process: child,
    output,
    admin: () => logInAsAdmin(url, firstPassword(dataDir)),
    stop,
    dispose: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the one-time password of the first administrator; undefined after its change. */
export const firstPassword = (dataDir: string): string | undefined => readLogin(firstAdminFile(dataDir))?.password;

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
