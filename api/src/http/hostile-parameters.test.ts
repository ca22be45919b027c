import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestUser } from '../../test-support/api.ts';
import { completedTask } from '../../test-support/completed-task.ts';
import { rawRequest } from '../../test-support/raw-request.ts';
import { buildDocument, operationsOf } from '../openapi/document.ts';

const SECRET = 'content-of-a-file-beside-the-storage';
const folder = mkdtempSync(join(tmpdir(), 'seqpanel-hostile-'));
const storageDir = join(folder, 'storage');

const escaped = (path: string): string => path.replaceAll('/', '%2F');
/** URL-encoded. `outside.txt` is next to the storage root and not below it. */
const CORPUS: readonly string[] = [
  ...[1, 2, 3, 4, 5].map((depth) => `${'..%2F'.repeat(depth)}outside.txt`),
  '%2e%2e%2f%2e%2e%2f%2e%2e%2foutside.txt',
  '%2e%2e',
  '..%5C..%5C..%5Coutside.txt',
  '..%252F..%252F..%252Foutside.txt',
  '..%c0%af..%c0%af..%c0%afoutside.txt',
  '%c0%ae%c0%ae',
  escaped(join(folder, 'outside.txt')),
  'file%3A%2F%2F%2Fetc%2Fpasswd',
  'x%00',
  '%00',
  '%ff',
  'a'.repeat(4000),
];

interface Parameter {
  name: string;
  in: string;
}

const document = buildDocument();
const parameters = [...operationsOf(document)].flatMap(({ path, method, operation }) =>
  ((operation.parameters ?? []) as (Parameter & { $ref?: string })[])
    .map((parameter) =>
      parameter.$ref
        ? (document.components['parameters']![parameter.$ref.split('/').at(-1)!] as Parameter)
        : (parameter as Parameter),
    )
    .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
    .map((parameter) => ({ path, method: method.toUpperCase(), name: parameter.name, place: parameter.in })),
);
const operations = [...operationsOf(document)].map(({ path, method }) => ({ path, method: method.toUpperCase() }));

mkdirSync(storageDir);
writeFileSync(join(folder, 'outside.txt'), SECRET);
const given = completedTask(() => ({ storageDir }));
let staff: TestUser;

beforeAll(async () => {
  staff = await given.api.addUser({ staff: true, groups: { [given.task.lab.group]: 'admin' } });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The path with ids of existing objects, so that a call gets as far as possible, and with one hostile value. */
const fill = (path: string, hostile: Record<string, string> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => hostile[name] ?? real(path, name));
function real(path: string, name: string): string {
  const { lab, id } = given.task;
  if (name === 'group') return lab.group;
  if (name !== 'id') return randomUUID();
  if (/\/(tasks|task-rerun)\//.test(path)) return id;
  return path.includes('/projects/') ? lab.project : lab.panel;
}

async function send(user: TestUser | undefined, method: string, path: string) {
  const headers = { ...(user && { authorization: `Bearer ${user.token}` }), 'tus-resumable': '1.0.0' };
  const json = ['POST', 'PUT'].includes(method);
  const answer = await rawRequest(
    given.api.url,
    method,
    path,
    { ...headers, ...(json && { 'content-type': 'application/json' }) },
    json ? '{}' : undefined,
  );
  expect(answer.text).not.toContain(SECRET);
  expect(answer.text).not.toContain('root:x:0');
  return { path: path.slice(0, 300), status: answer.status };
}

test('the document has parameters', () => {
  expect(parameters.length).toBeGreaterThan(100);
});

describe.each(['nobody', 'member', 'staff'] as const)('as %s', (who) => {
  const user = (): TestUser | undefined => ({ nobody: undefined, member: given.task.lab.user, staff })[who];

  test.each(parameters)(
    '$method $path: a hostile $name neither returns a file nor breaks the call',
    async ({ path, method, name, place }) => {
      for (const value of CORPUS) {
        const target = place === 'path' ? fill(path, { [name]: value }) : `${fill(path)}?${name}=${value}`;
        const answer = await send(user(), method, target);
        expect({ ...answer, broken: answer.status >= 500 }).toEqual({ ...answer, broken: false });
        if (value.includes('%00') || place === 'path')
          expect({ ...answer, taken: answer.status < 400 }).toEqual({ ...answer, taken: false });
      }
    },
  );

  test.each(operations)('$method $path: an undeclared query parameter is rejected', async ({ path, method }) => {
    const answer = await send(user(), method, `${fill(path)}?undeclared=1`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });

  test.each(parameters.filter(({ place }) => place === 'query'))(
    '$method $path: a repeated $name is rejected',
    async ({ path, method, name }) => {
      const answer = await send(user(), method, `${fill(path)}?${name}=1&${name}=2`);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
    },
  );
});
