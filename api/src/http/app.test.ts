import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';

const BASE = '/api/v1/pivat';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`;
let api: TestApi;
let user: TestUser;
let consoleDir: string;

beforeAll(async () => {
  consoleDir = mkdtempSync(join(tmpdir(), 'seqpanel-console-'));
  mkdirSync(join(consoleDir, 'assets'));
  writeFileSync(join(consoleDir, 'index.html'), '<!doctype html><title>SeqPanel</title>');
  writeFileSync(join(consoleDir, 'assets', 'app-1234.js'), SCRIPT);
  api = await startApi({ consoleDir });
  const group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
});
afterAll(async () => {
  await api?.close();
  rmSync(consoleDir, { recursive: true });
});

describe('an error answer', () => {
  test('[API-05] has id, code, message, DISPLAY_ERROR_MESSAGE and details, and the id of the request', async () => {
    const { status, body, headers } = await api.call('GET', `${BASE}/profile`);
    expect(status).toBe(401);
    expect(Object.keys(body).sort()).toEqual(['DISPLAY_ERROR_MESSAGE', 'code', 'details', 'id', 'message']);
    expect(body).toMatchObject({ id: headers.get('x-request-id'), code: 'unauthorized', details: null });
  });

  test('[API-06] to a request that breaks the document lists each problem with its field', async () => {
    const { status, body } = await api.call('PUT', `${BASE}/profile`, {
      token: user.token,
      body: { lang: 'de', other: 1 },
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'request_invalid' });
    expect(body.details.problems).toContainEqual({
      field: 'other',
      code: expect.any(String),
      message: expect.any(String),
    });
  });

  test.each([
    ['text that is not JSON', { 'content-type': 'application/json' }, '{', 400, 'request_unreadable'],
    ['another content type', { 'content-type': 'text/plain' }, 'x', 415, 'media_type_unsupported'],
    ['more than the limit', { 'content-type': 'application/json' }, `"${'x'.repeat(1.1e6)}"`, 413, 'request_too_large'],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }, '{}', 415, 'media_type_unsupported'],
    ['an unknown charset', { 'content-type': 'application/json; charset=utf-99' }, '{}', 415, 'media_type_unsupported'],
    [
      'a compressed body',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      gzipSync('{"lang":"en"}'),
      415,
      'media_type_unsupported',
    ],
    [
      'a body that claims to be compressed',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      '{}',
      415,
      'media_type_unsupported',
    ],
  ])('to %s', async (_what, headers, body, status, code) => {
    const answer = await fetch(`${api.url}${BASE}/profile`, {
      method: 'PUT',
      headers: { ...headers, authorization: `Bearer ${user.token}` },
      body,
    });
    expect({ status: answer.status, code: ((await answer.json()) as { code: string }).code }).toEqual({ status, code });
  });

  test('to a malformed form, and to a form without a token', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const staff = await api.addUser({ staff: true });
    const send = (token: string) =>
      fetch(`${api.url}${BASE}/admin/panel_types`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: 'hello',
      });
    expect(((await (await send(staff.token)).json()) as { code: string }).code).toBe('request_unreadable');
    expect((await send('x')).status).toBe(401);
  });

  test('to an unknown path or method', async () => {
    expect(await api.call('GET', `${BASE}/none`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const wrong = await api.call('DELETE', '/auth/login');
    expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  test('to an unknown query parameter', async () => {
    expect((await api.call('GET', `${BASE}/0/projects?pagesize=5`, { token: user.token })).body.code).toBe(
      'request_invalid',
    );
    expect((await api.call('GET', `${BASE}/0/projects?page=0`, { token: user.token })).body.code).toBe(
      'request_invalid',
    );
  });
});

describe('every answer', () => {
  test('forbids other hosts, framing and type sniffing', async () => {
    for (const path of ['/', `${BASE}/profile`, '/healthz']) {
      const { headers } = await api.call('GET', path);
      expect(headers.get('content-security-policy')).toContain("connect-src 'self'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });
});

describe('caching', () => {
  test('forbids storing answers of the API and files of projects and tasks', async () => {
    const paths = [
      `${BASE}/profile`,
      `${BASE}/0/projects`,
      '/healthz',
      '/auth/options',
      `${BASE}/openapi.json`,
      '/none.js',
    ];
    for (const path of paths) {
      const { headers } = await api.call('GET', path, { token: user.token });
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store']);
    }
  });
});

describe('HSTS', () => {
  test('is sent behind a trusted TLS proxy, and not because a client claims it', async () => {
    const behind = await startApi({ trustProxy: 1 });
    const open = await startApi({ trustProxy: 0 });
    const hsts = async (where: TestApi, proto: string) =>
      (await where.call('GET', '/healthz', { headers: { 'x-forwarded-proto': proto } })).headers.get(
        'strict-transport-security',
      );
    expect(await hsts(behind, 'https')).toBe('max-age=31536000');
    expect(await hsts(behind, 'http')).toBeNull();
    expect(await hsts(open, 'https')).toBeNull();
    await Promise.all([behind.close(), open.close()]);
  });
});

describe('the console', () => {
  test('[API-02] its paths answer index.html, which browsers revalidate each time', async () => {
    for (const path of ['/', '/login', '/secondary-analysis/tasks/1']) {
      const { status, body, headers } = await api.call('GET', path);
      expect({ status, cache: headers.get('cache-control') }).toEqual({ status: 200, cache: 'no-cache' });
      expect(body).toContain('SeqPanel');
    }
  });

  test('[API-02] its assets are compressed, cached without limit and answered with 304', async () => {
    const answer = await fetch(`${api.url}/assets/app-1234.js`, { headers: { 'accept-encoding': 'br' } });
    expect(answer.headers.get('content-encoding')).toBe('br');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(await answer.text()).toBe(SCRIPT);
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(200);
    const again = await fetch(`${api.url}/assets/app-1234.js`, {
      headers: { 'if-none-match': answer.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  test.each(['/assets/none.js', '/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2f..%2fetc%2fpasswd', '/%00', '/%zz'])(
    'does not serve %s',
    async (path) => {
      const { status, body } = await api.call('GET', path);
      expect(JSON.stringify(body)).not.toContain('root:');
      expect([404, 200]).toContain(status);
      if (status === 200) expect(body).toContain('SeqPanel');
    },
  );
});

describe('the process', () => {
  test('reports liveness, readiness and metrics by operation', async () => {
    expect(await api.call('GET', '/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await api.call('GET', '/readyz')).toMatchObject({ status: 200, body: 'ready\n' });
    await api.call('GET', `${BASE}/profile`, { token: user.token });
    expect((await api.call('GET', '/metrics')).body).not.toContain('seqpanel_api');
    expect(await api.deps.metrics.metrics()).toMatch(
      /seqpanel_api_request_seconds_count\{operation="getProfile",status="200"\} [1-9]/,
    );
  });

  test('[API-01] [API-06] serves its own document', async () => {
    const { body } = await api.call('GET', `${BASE}/openapi.json`);
    expect(body.paths).toHaveProperty(['/auth/login']);
    expect(body.paths).toHaveProperty([`${BASE}/{group}/projects`]);
  });
});
