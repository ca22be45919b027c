import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiProcess, startApiProcess } from '../../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';

/** 10,000 on demand: SEQPANEL_TEST_FUZZ=10000. Frames, and as many upgrade requests. */
const ROUNDS = Number(process.env['SEQPANEL_TEST_FUZZ'] ?? 1_000);
const SEED = Number(process.env['SEQPANEL_TEST_SEED'] ?? Date.now() % 1_000_000);
const FRAMES_A_SOCKET = 5;
const AT_ONCE = 20;
/** Allowed heap growth between collections. A leak of 10 kB per connection would exceed it within 10,000. */
const GROWTH_BYTES = 96 * 1024 * 1024;

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

/** mulberry32: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
const random = randomOf(SEED);
const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));

const TEXTS = ['1', '"a"', 'null', '[]', '{}', '{"token":1}', '{"token":"x"}', '{"token":{"a":[]}}', '{', '', '\0'];
/** A frame of RFC 6455, 5.2: any opcode and flags, mostly masked as a client must, mostly of the length it claims. */
function frame(): Buffer {
  const payload = random(3) === 0 ? bytes(random(300)) : Buffer.from(pick(TEXTS));
  const first = random(4) === 0 ? random(256) : 0x80 | pick([0, 1, 1, 1, 2, 8, 9, 10]);
  const claimed = random(8) === 0 ? random(0x7fffffff) : payload.length;
  const isMasked = random(10) !== 0;
  const length =
    claimed < 126
      ? Buffer.from([claimed])
      : claimed < 65_536
        ? Buffer.from([126, claimed >> 8, claimed & 255])
        : Buffer.from([127, 0, 0, 0, 0, claimed >>> 24, (claimed >> 16) & 255, (claimed >> 8) & 255, claimed & 255]);
  if (isMasked) length[0]! |= 0x80;
  const mask = isMasked ? bytes(4) : Buffer.alloc(0);
  const masked = isMasked ? payload.map((byte, i) => byte ^ mask[i % 4]!) : payload;
  return Buffer.concat([Buffer.from([first]), length, mask, masked]);
}

const TARGETS = [
  '/ws',
  '/ws',
  '/ws/',
  '/ws?x=//',
  '//',
  '///',
  '/\\',
  '//@',
  '//[',
  '/%',
  '/ws/../',
  'ws',
  '*',
  'http://',
];
const HEADERS = [
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Key: short',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Version: 99',
  'Sec-WebSocket-Protocol: ,,',
  'Sec-WebSocket-Extensions: permessage-deflate; a=";',
  'Authorization: Bearer x',
  'Authorization: Bearer',
  'X-Forwarded-For: ,,,',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
];
const request = (target: string, headers: readonly string[]): string =>
  [`${pick(['GET', 'GET', 'GET', 'POST', 'OPTIONS'])} ${target} HTTP/1.1`, 'Host: x', 'Connection: Upgrade']
    .concat(`Upgrade: ${pick(['websocket', 'websocket', 'h2c', 'x'])}`, headers, '', '')
    .join('\r\n');
const HANDSHAKE = `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${HEADERS[0]}\r\n${HEADERS[2]}\r\n\r\n`;

async function open(): Promise<Socket> {
  const socket = connect(api.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Ends the connection in one of the ways that clients do. */
async function leave(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const way = random(3);
  if (way === 0) socket.resetAndDestroy();
  else if (way === 1) socket.destroy();
  else {
    socket.end();
    socket.resume();
    setTimeout(() => socket.destroy(), 20);
  }
  await closed;
}

async function sendUpgrade(): Promise<void> {
  const socket = await open();
  const target =
    random(4) === 0
      ? `/${bytes(random(20))
          .toString('latin1')
          .replace(/[\r\n ]/g, '')}`
      : pick(TARGETS);
  socket.write(
    request(
      target,
      HEADERS.filter(() => random(2) === 0),
    ),
    'latin1',
  );
  if (random(2) === 0) socket.write(bytes(random(200)));
  if (random(2) === 0) await wait(random(4));
  await leave(socket);
}

async function sendFrames(): Promise<void> {
  const socket = await open();
  socket.write(HANDSHAKE);
  await new Promise<void>((resolve) => {
    for (const event of ['data', 'close']) socket.once(event, () => resolve());
  });
  for (let i = 0; i < FRAMES_A_SOCKET && socket.writable; i++) {
    const whole = frame();
    if (random(5) === 0) {
      const cut = random(whole.length);
      socket.write(whole.subarray(0, cut));
      await wait(1);
      if (socket.writable) socket.write(whole.subarray(cut));
    } else socket.write(whole);
  }
  if (random(2) === 0) await wait(random(4));
  await leave(socket);
}

async function repeat(rounds: number, work: () => Promise<void>): Promise<void> {
  let left = rounds;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

const health = (): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ port: api.port, path: '/healthz', agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode));
    }).once('error', reject);
  });

test(`${ROUNDS} upgrade requests and ${ROUNDS} frames of any kind leave the process running and its memory flat (seed ${SEED})`, async () => {
  const sockets = Math.ceil(ROUNDS / FRAMES_A_SOCKET);
  // Warms up, because code compiled and cached once is not a leak.
  await repeat(200, sendUpgrade);
  await repeat(100, sendFrames);
  const before = api.residentBytes();
  await repeat(ROUNDS, sendUpgrade);
  await repeat(sockets, sendFrames);
  expect(api.exitCode()).toBeUndefined();
  expect(await health()).toBe(200);
  const growth = api.residentBytes() - before;
  process.stderr.write(
    `fuzz: ${ROUNDS} rounds, seed ${SEED}: resident memory grew by ${Math.round(growth / 1024)} KiB\n`,
  );
  expect(growth).toBeLessThan(GROWTH_BYTES);
  // No socket stays counted, and well-behaved clients are served.
  const polite = await open();
  polite.write(HANDSHAKE);
  expect(String((await once(polite, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
  polite.destroy();
}, 600_000);
