import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type ApiProcess, startApiProcess } from '../../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { openDatabase } from '../db/database.ts';
import { createReadiness } from './readiness.ts';

let database: TestDatabase;
let api: ApiProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  // An api with an unreachable cluster and a missing storage folder.
  api = await startApiProcess(database.url);
});
afterAll(async () => {
  await api?.dispose();
  await database?.close();
});

const ask = async (port: number, path: string): Promise<[number, string]> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return [answer.status, await answer.text()];
};

test('the public port has a status word, and reasons and metrics are only on the monitor port', async () => {
  expect(await ask(api.port, '/healthz')).toEqual([200, 'ok\n']);
  expect(await ask(api.port, '/readyz')).toEqual([200, 'ready\n']);
  expect((await ask(api.port, '/metrics'))[0]).toBe(404);
  expect(await ask(api.metricsPort, '/healthz')).toEqual([200, 'ok\n']);
  expect((await ask(api.metricsPort, '/metrics'))[1]).toContain('seqpanel_api_request_seconds_bucket');
  for (const path of ['/', '/metrics/more', '/__proto__', '/auth/login'])
    expect((await ask(api.metricsPort, path))[0]).toBe(404);
});

test('an api with an unreachable cluster stays ready, and reports and measures it', async () => {
  const [status, text] = await ask(api.metricsPort, '/readyz');
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { database: 'ok', cluster: 'the Kubernetes API cannot be followed' },
  ]);
  const [, metrics] = await ask(api.metricsPort, '/metrics');
  expect(metrics).toMatch(/^seqpanel_api_part_ready\{part="database"\} 1$/m);
  expect(metrics).toMatch(/^seqpanel_api_part_ready\{part="cluster"\} 0$/m);
});

test('metrics of a storage that cannot be read are missing, the others are there', async () => {
  const [status, metrics] = await ask(api.metricsPort, '/metrics');
  expect(status).toBe(200);
  expect(metrics).not.toMatch(/^seqpanel_storage_free_bytes /m);
  expect(metrics).toMatch(/^seqpanel_tasks\{status="failed"\} 0$/m);
  expect(metrics).toMatch(/^seqpanel_api_measure_age_seconds\{measure="storage"\} \d/m);
});

test.each([
  ['refuses connections', false, /ECONNREFUSED/],
  ['accepts connections and never answers', true, /^no answer within 300 ms$/],
])('an api whose database %s is not ready', async (_what, accepts, reason) => {
  const log = pino({ level: 'silent' });
  const accepted: Socket[] = [];
  const server: Server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  if (!accepts) await new Promise((resolve) => server.close(resolve));
  const db = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`, log);
  try {
    const readiness = createReadiness({ backgroundDb: db, metrics: new Registry() }, () => [], 300);
    const answers = await Promise.all([readiness(), readiness()]);
    expect(answers[0]).toBe(answers[1]); // one check serves all who ask at once
    expect(answers[0]).toEqual({ ready: false, parts: { database: expect.stringMatching(reason) } });
  } finally {
    server.close();
    for (const socket of accepted) socket.destroy();
    await db.destroy();
  }
});
