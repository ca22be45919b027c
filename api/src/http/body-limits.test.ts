import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { operationsOf } from '../openapi/document.ts';
import { jsonLimit } from './body-limits.ts';

const BASE = '/api/v1/pivat';
let api: TestApi;
let user: TestUser;
let staff: TestUser;
let group: string;
beforeAll(async () => {
  api = await startApi({
    bodyTimes: { bodyMs: 400, formMs: 500, restMs: 400 },
    server: { headersMs: 400, checkMs: 50 },
  });
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
  staff = await api.addUser({ staff: true });
});
afterAll(() => api?.close());

/** Sends `head` and then `part` every 50 ms until the connection closes. Returns the answer and its time. */
async function drip(head: string, part: string): Promise<{ text: string; ms: number }> {
  const started = performance.now();
  const socket: Socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  let text = '';
  let isOpen = true;
  socket.setNoDelay(true);
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOpen = false;
  });
  socket.write(head);
  while (isOpen && performance.now() - started < 10_000) {
    await wait(50);
    socket.write(part);
  }
  socket.destroy();
  return { text, ms: performance.now() - started };
}
const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const bearer = ({ token }: TestUser) => `Authorization: Bearer ${token}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('a client that sends slowly', () => {
  test('loses its connection during the headers', async () => {
    const { text, ms } = await drip('GET /healthz HTTP/1.1\r\n', 'X-A: b\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(ms).toBeLessThan(5_000);
  });

  test('loses its connection during a body without a token', async () => {
    const { text, ms } = await drip(`${head('POST', '/auth/login', JSON_TYPE, 'Content-Length: 60000')}{"a":"`, 'x');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":"request_slow"');
    expect(ms).toBeLessThan(5_000);
  });

  test('loses its connection during a form', async () => {
    const form = 'Content-Type: multipart/form-data; boundary=b';
    const part = '--b\r\nContent-Disposition: form-data; name="panel_file"; filename="a.json"\r\n\r\n';
    const path = `${BASE}/admin/panel_types`;
    const { text, ms } = await drip(`${head('POST', path, form, bearer(staff), 'Content-Length: 60000')}${part}`, 'x');
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(ms).toBeLessThan(5_000);
  });

  test('loses its connection when the rest of a body takes too long after the answer', async () => {
    for (const [method, path, status] of [
      ['PUT', `${BASE}/profile`, 401],
      ['GET', '/healthz', 200],
      ['POST', '/none', 404],
    ] as const) {
      const { text, ms } = await drip(`${head(method, path, JSON_TYPE, 'Content-Length: 60000')}{"a":"`, 'x');
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(ms).toBeLessThan(5_000);
    }
  });

  test('may take longer for the bytes of an upload', async () => {
    const project = (await api.call('POST', `${BASE}/${group}/projects`, { token: user.token, body: { name: 'slow' } }))
      .body.id;
    const metadata = { project, filename: 'slow.fastq' };
    const created = await fetch(`${api.url}${BASE}/${group}/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.token}`,
        'tus-resumable': '1.0.0',
        'upload-length': '40',
        'upload-metadata': Object.entries(metadata)
          .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
          .join(','),
      },
    });
    expect(created.status).toBe(201);
    const patch = head(
      'PATCH',
      created.headers.get('location')!,
      bearer(user),
      'Tus-Resumable: 1.0.0',
      'Upload-Offset: 0',
      'Content-Type: application/offset+octet-stream',
      'Content-Length: 38',
      'Connection: close',
    );
    const { text, ms } = await drip(patch, '\n\n');
    expect(text).toMatch(/^HTTP\/1\.1 204 [\s\S]*Upload-Offset: 38/i);
    expect(ms).toBeGreaterThan(900);
  });
});

describe('the size of a JSON body', () => {
  test('is 64 KiB without a token, 1 MiB with one, and 12 MiB where a launch or a preset needs it', () => {
    const larger: string[] = [];
    for (const { operation } of operationsOf(api.document)) {
      const open = ['public', 'file-token'].includes(operation['x-role']);
      const limit = jsonLimit(operation);
      if (limit > 1024 * 1024) larger.push(`${operation.operationId} ${limit}`);
      else expect([operation.operationId, limit]).toEqual([operation.operationId, open ? 65_536 : 1_048_576]);
    }
    expect(larger.sort()).toEqual(
      ['checkLaunch', 'createPreset', 'launchTask', 'updatePreset'].map((id) => `${id} 12582912`),
    );
  });

  const send = async (path: string, bytes: number, token?: string) => {
    const body = { username: 'x'.repeat(bytes), password: 'x' };
    return (await api.call('POST', path, { token, body })).status;
  };
  test('is rejected above the limit of the operation, and read below it', async () => {
    expect(await send('/auth/login', 70_000)).toBe(413);
    expect(await send('/auth/login', 1_000)).not.toBe(413);
    const launch = `${BASE}/${group}/analysis/launch-task`;
    expect(await send(launch, 2_000_000, user.token)).toBe(400);
    expect(await send(launch, 13_000_000, user.token)).toBe(413);
  });

  test('is not read before authorization', async () => {
    expect(await send(`${BASE}/${group}/analysis/launch-task`, 2_000_000)).toBe(401);
    expect(await send(`${BASE}/${group}/analysis/launch-task`, 2_000_000, 'not one')).toBe(401);
  });
});
