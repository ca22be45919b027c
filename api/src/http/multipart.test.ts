import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Request } from 'express';
import type { AppError } from '../errors.ts';
import { FORM_LIMITS, FormSpace } from './form-space.ts';
import { readMultipart } from './multipart.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-forms-'));
const space = new FormSpace({ ...FORM_LIMITS, fileBytes: 1000, files: 4, formBytes: 2500, processBytes: 4000 });
let server: Server;
let url: string;
/** Releases the forms that were read. */
const letGo: (() => void)[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    readMultipart(req as Request, space, folder)
      .then(async ({ files, fields, discard }) => {
        if (req.url === '/hold') await new Promise<void>((resolve) => letGo.push(resolve));
        await discard();
        res.end(JSON.stringify({ files: files.map(({ part, name, size }) => ({ part, name, size })), fields }));
      })
      .catch(({ status, code }: AppError) => {
        res.statusCode = status;
        res.end(code);
      });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

async function send(sizes: readonly number[], path = '/'): Promise<[number, string]> {
  const body = new FormData();
  body.append('note', 'a');
  for (const [i, size] of sizes.entries()) body.append('file', new Blob(['x'.repeat(size)]), `../${i}.txt`);
  const answer = await fetch(url + path, { method: 'POST', body });
  return [answer.status, await answer.text()];
}
async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; !isTrue() && i < 1000; i++) await wait(5);
  expect(isTrue()).toBe(true);
}
const nothingHeld = () => expect([readdirSync(folder), space.heldBytes]).toEqual([[], 0]);

test('files are read with sizes and base names, and their space is released', async () => {
  const [status, text] = await send([1000, 0]);
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      files: [
        { part: 'file', name: '0.txt', size: 1000 },
        { part: 'file', name: '1.txt', size: 0 },
      ],
      fields: { note: 'a' },
    },
  ]);
  nothingHeld();
});

test.each([
  ['a file of 1,001 bytes where 1,000 are allowed', [1001]],
  ['five files where four are allowed', [1, 1, 1, 1, 1]],
  ['three files of 2,700 bytes in all where 2,500 are allowed', [900, 900, 900]],
])('%s are refused as too large, and leave nothing', async (_what, sizes) => {
  expect(await send(sizes)).toEqual([413, 'request_too_large']);
  nothingHeld();
});

test('a form without space is rejected for now, and accepted after other forms have ended', async () => {
  const first = send([1000, 1000], '/hold');
  await until(() => letGo.length === 1);
  expect(await send([1000, 1000])).toEqual([503, 'unavailable']);
  expect((await send([1000]))[0]).toBe(200);
  for (const go of letGo.splice(0)) go();
  expect((await first)[0]).toBe(200);
  expect((await send([1000, 1000]))[0]).toBe(200);
  nothingHeld();
});

test('a form whose client disconnects in the middle of a file leaves nothing', async () => {
  const socket = connect(new URL(url).port as unknown as number, '127.0.0.1');
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n' +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nsome of it',
  );
  await until(() => readdirSync(folder).length > 0);
  socket.resetAndDestroy();
  await until(() => readdirSync(folder).length === 0 && space.heldBytes === 0);
  nothingHeld();
});

test.each(['multipart/form-data', 'multipart/form-data; boundary=b'])(
  'a body that is not a form (%s)',
  async (type) => {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body: 'hello' });
    expect([answer.status, await answer.text()]).toEqual([400, 'request_unreadable']);
    nothingHeld();
  },
);

test('two forms are processed at a time, the third after one of them', async () => {
  const turns = new FormSpace({ ...FORM_LIMITS, served: 2 });
  const served: string[] = [];
  const enter = (name: string) => turns.enter().then(() => served.push(name));
  const entered = ['a', 'b', 'c', 'd'].map(enter);
  await Promise.all(entered.slice(0, 2));
  await wait(5);
  expect(served).toEqual(['a', 'b']);
  turns.leave();
  await entered[2];
  expect(served).toEqual(['a', 'b', 'c']);
  turns.leave();
  turns.leave();
  await entered[3];
  turns.leave();
  await enter('e');
  expect(served).toEqual(['a', 'b', 'c', 'd', 'e']);
});
