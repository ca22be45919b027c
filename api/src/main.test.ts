import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiProcess, startApiProcess } from '../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../test-support/postgres.ts';

const started: ApiProcess[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(started.map((api) => api.dispose()));
  await database?.close();
});

/** The api's process, and requests over one kept connection. */
async function startApi() {
  const api = await startApiProcess(database.url);
  started.push(api);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Returns the answer's Connection header. Rejects without an answer. */
  const ask = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const asked = get({ port: api.port, agent, path: '/healthz' }, (answer) => {
        answer.resume().once('end', () => resolve(answer.headers.connection));
      });
      asked.once('error', reject);
    });
  return { ...api, ask };
}

test('a stopping api answers late requests, closes their connections and exits', async () => {
  const api = await startApi();
  expect(await api.ask()).toBe('keep-alive');
  api.kill('SIGTERM');
  const said: (string | undefined)[] = [];
  while (!said.includes('close')) said.push(await api.ask());
  // New connections too, because not every node has been notified yet.
  expect(await api.ask()).toBe('close');
  expect(await api.exit).toEqual([0, null]);
}, 120_000);

test('a request that arrived before kept-alive connections close is answered, also on a busy machine', async () => {
  const api = await startApi();
  expect(await api.ask()).toBe('keep-alive');
  api.kill('SIGTERM');
  await api.logged('shutting down');
  api.kill('SIGSTOP');
  const answer = api.ask();
  await wait(3_000); // longer than the time to close connections
  api.kill('SIGCONT');
  expect(await answer).toBe('close');
  expect(await api.exit).toEqual([0, null]);
}, 120_000);
