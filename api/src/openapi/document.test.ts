import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Feature } from '../feature.ts';
import { collectRoutes } from '../http/dispatch.ts';
import { buildDocument, operationsOf } from './document.ts';
import { createMatcher } from './match.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A document of one path file. */
function documentOf(paths: string) {
  const root = mkdtempSync(join(folder, 'd-'));
  for (const name of ['paths', 'schemas']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'openapi.yaml'), 'openapi: 3.1.0\ninfo: { title: t, version: 1.0.0 }\ncomponents: {}\n');
  writeFileSync(join(root, 'paths', 'a.yaml'), paths);
  return () => buildDocument(root);
}
const operation = (id: string, role = 'user') =>
  `{ operationId: ${id}, x-role: ${role}, responses: { '204': { description: d } } }`;

describe('the document', () => {
  test('[API-06] gives every operation an id of its own, a role, and the error answer as default', () => {
    const ids = [...operationsOf(buildDocument())].map(({ operation: { operationId, responses } }) => {
      expect(responses['default']).toEqual({ $ref: '#/components/responses/Error' });
      return operationId;
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(60);
  });

  test('refuses an operation without a role, an id used twice, and a path with a trailing slash', () => {
    expect(documentOf(`/a: { get: { operationId: a, responses: {} } }`)).toThrow(/GET \/a: no x-role/);
    expect(documentOf(`/a: { get: ${operation('a')} }\n/b: { get: ${operation('a')} }`)).toThrow(/used twice/);
    expect(documentOf(`/a/: { get: ${operation('a')} }`)).toThrow(/slash/);
  });

  test('names the file that cannot be merged', () => {
    expect(documentOf(`/a: { get: ${operation('a', 'nobody')} }`)).toThrow(/x-role/);
  });
});

describe('the start fails', () => {
  const document = documentOf(`/a: { get: ${operation('login')} }`)();
  const feature = (routes: unknown): Feature => ({ name: 'f', routes: routes as Feature['routes'] });
  const handle = async () => undefined;

  test.each([
    ['when an operation has no handler', [], /login has no handler/],
    ['when a handler declares no role', [feature({ login: { handle } })], /declares no role/],
    [
      'when its role is not that of the document',
      [feature({ login: { role: 'public', handle } })],
      /says public, the document user/,
    ],
    [
      'when a handler has no operation',
      [feature({ login: { role: 'user', handle }, other: { role: 'user', handle } })],
      /other has no operation/,
    ],
    [
      'when an operation has two handlers',
      [feature({ login: { role: 'user', handle } }), feature({ login: { role: 'user', handle } })],
      /already/,
    ],
  ])('%s', (_title, features, message) => {
    expect(() => collectRoutes(document, features)).toThrow(message);
  });
});

describe('the matcher', () => {
  const match = createMatcher(buildDocument());
  const id = (method: string, path: string) => {
    const found = match(method, path);
    return found && 'operation' in found ? found.operation.operationId : found;
  };

  test('prefers literal parts to parameters, and accepts a trailing slash', () => {
    expect(id('GET', '/api/v1/pivat/admin/projects/')).toBe('listAllProjects');
    expect(id('GET', '/api/v1/pivat/0/projects')).toBe('listProjects');
    expect(id('GET', '/api/v1/pivat/0/custom-preset/info')).toBe('listPresets');
    expect(id('GET', '/api/v1/pivat/0/custom-preset/default/x')).toBe('getDefaultPreset');
    expect(id('GET', '/api/v1/pivat/0/custom-preset/metadata/x/')).toBe('getPresetMetadata');
    expect(id('GET', '/api/v1/pivat/0/custom-preset/panel/name')).toBe('getPresetByName');
    expect(id('GET', '/api/v1/pivat/0/custom-preset/x')).toBe('getPreset');
  });

  test.each(['a%2Fb', 'a%5Cb', 'a%00', '%2e', '%2e%2E', '..', '.', '%zz', '%c0%ae'])(
    'finds nothing when a parameter is %s',
    (part) => {
      expect(id('GET', `/api/v1/pivat/0/tasks/${part}/qc`)).toBeUndefined();
    },
  );

  test('decodes a parameter once', () => {
    expect(match('GET', '/api/v1/pivat/0/custom-preset/..%252Fx')).toMatchObject({ params: { id: '..%2Fx' } });
  });

  test('distinguishes an unknown path from an unknown method', () => {
    expect(id('GET', '/api/v1/pivat/none/of/these/at/all')).toBeUndefined();
    expect(id('DELETE', '/auth/login')).toEqual({ allow: ['POST'] });
  });
});
