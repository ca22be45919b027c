import { readdirSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiProcess, startApiProcess } from '../../test-support/api-process.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { buildDocument, operationsOf } from '../openapi/document.ts';

/** 1024 on demand: SEQPANEL_TEST_BODY_MIB=1024. */
const BODY_MIB = Number(process.env['SEQPANEL_TEST_BODY_MIB'] ?? 64);
const CHUNK = Buffer.alloc(1024 * 1024, 'x');
const OPEN = [...operationsOf(buildDocument())].filter(({ operation }) =>
  ['public', 'file-token'].includes(operation['x-role']),
);

/** Answers by operation: only those that read a body reject its type. Single sign-on is off. */
const STATUS: Readonly<Record<string, number>> = {
  'GET /api/v1/pivat/openapi.json': 200,
  'GET /api/v1/pivat/project-files/{id}/download': 400,
  'GET /auth/options': 200,
  'GET /healthz': 200,
  'GET /readyz': 200,
  'OPTIONS /api/v1/pivat/{group}/uploads': 204,
  'POST /api/v1/pivat/api-token-refresh': 415,
  'POST /api/v1/pivat/api-token-verify': 415,
  'POST /auth/login': 415,
  'POST /auth/sso/begin': 404,
  'POST /auth/sso/finish': 415,
};

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

/** Sends a form of one file without a token. Returns the bytes seen in the temporary folder meanwhile. */
async function sendForm(method: string, path: string): Promise<{ status: number | undefined; mostBytes: number }> {
  const sent = request({
    port: api.port,
    // If the client wants the connection closed, Node drops the rest of the body with the answer.
    agent: new Agent({ keepAlive: true }),
    method,
    path,
    headers: { 'content-type': 'multipart/form-data; boundary=b', 'transfer-encoding': 'chunked' },
  });
  let status: number | undefined;
  let broken = false;
  sent.on('response', (answer) => {
    status = answer.statusCode;
    answer.resume();
  });
  sent.on('error', () => {
    broken = true;
  });
  sent.write('--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n');
  let mostBytes = 0;
  for (let i = 0; i < BODY_MIB && !broken; i++) {
    const isSent = new Promise<void>((resolve) => sent.write(CHUNK, () => resolve()));
    await Promise.race([isSent, wait(1_000)]);
    mostBytes = Math.max(mostBytes, temporaryBytes());
  }
  for (let i = 0; i < 2_000 && status === undefined && !broken; i++) await wait(5);
  sent.destroy();
  return { status, mostBytes };
}

function temporaryBytes(): number {
  let bytes = 0;
  for (const name of readdirSync(api.tmp, { recursive: true }) as string[]) {
    bytes += statSync(join(api.tmp, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

test.each(OPEN.map(({ method, path }) => [method.toUpperCase(), path]))(
  'a large form sent to %s %s without a token is not stored',
  async (method, path) => {
    const { status, mostBytes } = await sendForm(method!, path!.replace(/\{\w+\}/g, '0'));
    expect(mostBytes).toBe(0);
    expect(status).toBe(STATUS[`${method} ${path}`]);
    expect(readdirSync(api.tmp)).toEqual([]);
    expect(api.exitCode()).toBeUndefined();
  },
  120_000,
);
