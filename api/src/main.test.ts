import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../test-support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-main-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true });
});

/** The api's process, once it listens. */
async function startApi() {
  writeFileSync(join(folder, 'secret'), 'ab'.repeat(32));
  writeFileSync(join(folder, 'kubeconfig'), CLUSTER_THAT_IS_AWAY);
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SEQPANEL_PORT: '0',
        SEQPANEL_DATA: folder,
        SEQPANEL_FIRST_ADMIN_FILE: join(folder, 'first-admin'),
        SEQPANEL_SECRET_FILE: join(folder, 'secret'),
        DATABASE_URL: database.url,
        KUBECONFIG: join(folder, 'kubeconfig'),
      },
    },
  );
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** The next line of its log with that message. */
  const logged = async (message: string) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The api ended before it said: ${message}`);
      const line = JSON.parse(value) as { msg: string; address?: { port: number } };
      if (line.msg === message) return line;
    }
  };
  const { port } = (await logged('The api listens')).address!;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Asks over a kept connection: what the answer says of it. Rejects when there is no answer. */
  const ask = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const asked = get({ port, agent, path: '/healthz' }, (answer) => {
        answer.resume().once('end', () => resolve(answer.headers.connection));
      });
      asked.once('error', reject);
    });
  return { kill: (signal: NodeJS.Signals) => child.kill(signal), exit, logged, ask };
}

test('an api that is told to end answers what still comes, on connections that it then closes, and ends', async () => {
  const api = await startApi();
  expect(await api.ask()).toBe('keep-alive');
  api.kill('SIGTERM');
  const said: (string | undefined)[] = [];
  while (!said.includes('close')) said.push(await api.ask());
  // A new connection too: not every node has heard of it yet.
  expect(await api.ask()).toBe('close');
  expect(await api.exit).toEqual([0, null]);
}, 120_000);

test('a request that has come when kept connections are closed is answered, also where the processor was away', async () => {
  const api = await startApi();
  expect(await api.ask()).toBe('keep-alive');
  api.kill('SIGTERM');
  await api.logged('The api ends');
  api.kill('SIGSTOP');
  const answer = api.ask();
  await wait(3_000); // longer than it takes its leave
  api.kill('SIGCONT');
  expect(await answer).toBe('close');
  expect(await api.exit).toEqual([0, null]);
}, 120_000);

const CLUSTER_THAT_IS_AWAY = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'away',
  contexts: [{ name: 'away', context: { cluster: 'away', user: 'away' } }],
  clusters: [{ name: 'away', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'away', user: {} }],
});
