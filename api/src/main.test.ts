import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

test('an api that is told to end answers what still comes, on connections that it then closes, and ends', async () => {
  writeFileSync(join(folder, 'secret'), 'ab'.repeat(32));
  writeFileSync(join(folder, 'kubeconfig'), CLUSTER_THAT_IS_AWAY);
  const api = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')], {
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
  });
  const exit = once(api, 'exit');
  let port = 0;
  for await (const line of createInterface({ input: api.stdout })) {
    port = (JSON.parse(line) as { address?: { port: number } }).address?.port ?? 0;
    if (port) break;
  }
  api.stdout.resume();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** What the answer says of its connection; rejects when there is none. */
  const ask = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const asked = get({ port, agent, path: '/healthz' }, (answer) => {
        answer.resume().once('end', () => resolve(answer.headers.connection));
      });
      asked.once('error', reject);
    });
  expect(await ask()).toBe('keep-alive');
  api.kill('SIGTERM');
  const said: (string | undefined)[] = [];
  while (!said.includes('close')) said.push(await ask());
  // A new connection too: not every node has heard of it yet.
  expect(await ask()).toBe('close');
  expect(await exit).toEqual([0, null]);
}, 120_000);

const CLUSTER_THAT_IS_AWAY = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'away',
  contexts: [{ name: 'away', context: { cluster: 'away', user: 'away' } }],
  clusters: [{ name: 'away', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'away', user: {} }],
});
