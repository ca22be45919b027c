import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import WebSocket from 'ws';
import type { Config } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { answerUpgrades } from '../http/upgrades.ts';
import { createLive } from './socket.ts';
import { CountByKey, Rate, SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';

const log = pino({ level: 'silent' });
const CALLER: Caller = {
  userId: 'u',
  username: 'u',
  sessionId: 's',
  isStaff: true,
  isSuperuser: false,
  isDemo: false,
  mustChangePassword: false,
  groups: [],
};
/** Events of different pools, because events of one pool are throttled. */
const eventOf = (n: number): string => JSON.stringify({ workers: `${'x'.repeat(1000)}${n}` });

let server: Server;
let ending: AbortController;
afterEach(async () => {
  ending.abort();
  server.closeAllConnections();
  server.close();
});

/** A listening server whose websocket accepts one token, `good`. `notify` sends what Postgres would send. */
async function serve(limits: Partial<SocketLimits>): Promise<{ url: string; notify: (payload: string) => void }> {
  let notify = (_payload: string): void => {};
  const listener = {
    on: (_channel: string, handler: (payload: string) => void) => {
      notify = handler;
    },
    run: async () => {},
  };
  const authenticate = async (token: string) => (token === 'good' ? CALLER : undefined);
  const live = createLive({ authenticate, config: { trustProxy: 0 } as Config, log }, listener, {
    ...SOCKET_LIMITS,
    ...limits,
  });
  ending = new AbortController();
  void live.run(ending.signal);
  server = createServer();
  answerUpgrades(server, [{ name: 'live', upgrade: live.upgrade }], log);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, notify: (payload) => notify(payload) };
}

/** Returns the connected socket, or the status of the rejection. */
function connect(url: string): Promise<WebSocket | number | undefined> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.on('error', () => undefined);
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (request, answer) => {
      request.destroy();
      resolve(answer.statusCode);
    });
  });
}
const open = async (url: string): Promise<WebSocket> => (await connect(url)) as WebSocket;
const admitted = async (url: string): Promise<WebSocket> => {
  const socket = await open(url);
  const ready = once(socket, 'message');
  socket.send('{"token":"good"}');
  await ready;
  return socket;
};
const closeCode = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0];

test('a message over the limit closes the socket', async () => {
  const socket = await open((await serve({ payloadBytes: 100 })).url);
  socket.send(`{"token":"${'x'.repeat(100)}"}`);
  expect(await closeCode(socket)).toBe(1009);
});

test.each(['message', 'ping'])('more %ss than the rate allows close the socket', async (kind) => {
  const socket = await admitted((await serve({ burst: 10, perSecond: 0.001 })).url);
  const closed = closeCode(socket);
  for (let i = 0; i < 10; i++) kind === 'ping' ? socket.ping() : socket.send('{"token":"good"}');
  expect(await closed).toBe(1008);
});

test('a client that sends no token in time is disconnected', async () => {
  const socket = await open((await serve({ authMs: 50 })).url);
  expect(await closeCode(socket)).toBe(4401);
});

test('an address gets no third socket while two of its sockets have sent no token', async () => {
  const { url } = await serve({ waitingPerAddress: 2 });
  const first = await open(url);
  await open(url);
  expect(await connect(url)).toBe(429);
  const ready = once(first, 'message');
  first.send('{"token":"good"}');
  await ready;
  await admitted(url);
});

test('a refused handshake leaves no socket counted', async () => {
  const { url } = await serve({ waitingPerAddress: 1 });
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(url.replace('ws', 'http'), { headers: { upgrade: 'websocket' } }).catch(() => undefined);
    expect(answer?.status ?? 400).toBeGreaterThanOrEqual(400);
  }
  await admitted(url);
});

test('above the total number of sockets, the next one is rejected for now', async () => {
  const { url } = await serve({ sockets: 1 });
  await admitted(url);
  expect(await connect(url)).toBe(503);
});

test('a user gets no third socket where two are allowed', async () => {
  const { url } = await serve({ perUser: 2 });
  await admitted(url);
  await admitted(url);
  const third = await open(url);
  third.send('{"token":"good"}');
  expect(await closeCode(third)).toBe(1008);
});

test('a client that does not read is disconnected, and others still get events', async () => {
  const { url, notify } = await serve({ bufferedBytes: 100_000 });
  const slow = await admitted(url);
  const quick = await admitted(url);
  let heard = 0;
  quick.on('message', () => heard++);
  slow.pause();
  let sent = 0;
  // The kernel buffers some megabytes before the process does.
  for (; sent < 20_000 && quick.readyState === WebSocket.OPEN; sent++) {
    notify(eventOf(sent));
    if (sent % 50 === 0) await wait(0);
  }
  slow.resume();
  expect(await closeCode(slow)).toBe(1006);
  for (let i = 0; i < 200 && heard < sent; i++) await wait(10);
  expect(heard).toBe(20_000);
});

test('a rate refills with time, up to its burst', () => {
  const rate = new Rate({ burst: 2, perSecond: 1 }, 0);
  expect([rate.take(0), rate.take(0), rate.take(0)]).toEqual([true, true, false]);
  expect([rate.take(999), rate.take(1_000), rate.take(1_000)]).toEqual([false, true, false]);
  expect([rate.take(60_000), rate.take(60_000), rate.take(60_000)]).toEqual([true, true, false]);
});

test('a count by key drops keys with count 0', () => {
  const count = new CountByKey(1);
  expect([count.enter('a'), count.enter('a'), count.enter('b')]).toEqual([true, false, true]);
  count.leave('a');
  expect(count.enter('a')).toBe(true);
});
