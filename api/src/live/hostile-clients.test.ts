import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import WebSocket from 'ws';
import { type ApiProcess, startApiProcess } from '../../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';

let database: TestDatabase;
let api: ApiProcess;
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url);
});
afterAll(async () => {
  await api?.dispose();
  await database?.close();
});

const health = (): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ port: api.port, path: '/healthz', agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });

test.each(['1', '"a"', 'true', 'null', '[]', '[{"token":"a"}]', '{}', '{"token":1}', '{"token":null}', '{', ''])(
  'a websocket that sends %s before any token is closed, and the process serves on',
  async (message) => {
    const socket = new WebSocket(`ws://127.0.0.1:${api.port}/ws`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.send(message);
    expect((await closed)[0]).toBe(1007);
    expect(await health()).toBe(200);
    expect(api.exitCode()).toBeUndefined();
  },
);
