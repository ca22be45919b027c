import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApiProcess } from '../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../test-support/postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-uncaught-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.close();
  rmSync(folder, { recursive: true });
});

/** Adds an error that is thrown after the answer to a request. */
const planted = (fault: string) => ({
  SEQPANEL_DATA: folder,
  NODE_OPTIONS: `--import ${`data:text/javascript,${encodeURIComponent(`
    import { ServerResponse } from 'node:http';
    const { end } = ServerResponse.prototype;
    ServerResponse.prototype.end = function (...args) {
      if (this.req.url === '/healthz?fault') ${fault};
      return end.apply(this, args);
    };`)}`}`,
});

test.each([
  ['an exception in a timer', "setTimeout(() => { throw new Error('planted'); }, 50)", 'uncaughtException', 0],
  [
    'a rejection that nothing handles',
    "setTimeout(() => { Promise.reject(new Error('planted')); }, 50)",
    'unhandledRejection',
    1,
  ],
])('%s is logged with the request it came of, counted, and ends the process', async (_what, fault, origin, before) => {
  const api = await startApiProcess(database.url, planted(fault));
  try {
    const metrics = await (await fetch(`http://127.0.0.1:${api.metricsPort}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^seqpanel_api_uncaught_errors_total ${before}$`, 'm'));
    const requestId = await new Promise((resolve, reject) => {
      get({ port: api.port, path: '/healthz?fault' }, (answer) => resolve(answer.headers['x-request-id'])).once(
        'error',
        reject,
      );
    });
    expect(await api.logged('uncaught error, exiting')).toMatchObject({
      level: 60,
      origin,
      requestId,
      err: { message: 'planted' },
    });
    expect(await api.exit).toEqual([1, null]);
  } finally {
    await api.dispose();
  }
});
