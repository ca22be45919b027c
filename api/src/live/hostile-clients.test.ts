import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
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
  'a websocket that sends %s before any token is closed, and the process keeps serving',
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

/** Sends an upgrade request byte by byte as given. Returns the first line of the answer. */
async function upgrade(target: string, more = ''): Promise<string> {
  const socket = connect(api.port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`);
  return (await text(socket)).split('\r\n', 1)[0]!;
}

test.each(['//', '///', '//@', '/\\', '//[', '/%zz', 'http://', '*', '/', '/ws/more', '/api/v1/pivat/profile'])(
  'an upgrade of %s is rejected, and the process keeps serving',
  async (target) => {
    expect(await upgrade(target)).toMatch(/^HTTP\/1\.1 (404 Not Found|400 Bad Request)$/);
    expect(await health()).toBe(200);
  },
);

test('an upgrade of /ws without a websocket key is refused', async () => {
  expect(await upgrade('/ws')).toBe('HTTP/1.1 400 Bad Request');
  expect(await upgrade('/ws', 'Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n')).toBe(
    'HTTP/1.1 400 Bad Request',
  );
});

test('clients that reset the connection while their upgrade is refused do not end the process', async () => {
  for (let i = 0; i < 200; i++) {
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const target = i % 2 === 0 ? '/none' : '/ws';
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    if (i % 3 === 0) await wait(1);
    socket.resetAndDestroy();
  }
  await wait(200);
  expect(await health()).toBe(200);
  expect(api.exitCode()).toBeUndefined();
});
