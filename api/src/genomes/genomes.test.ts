import { randomUUID } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { mirrorGenome } from '../background/mirror/configuration.ts';

const PATH = '/api/v1/pivat/admin/genomes';
let api: TestApi;
let staff: TestUser;

beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
  mkdirSync(join(api.storageDir, 'incoming', 'set'), { recursive: true });
  writeFileSync(join(api.storageDir, 'incoming', 'set', 'a.fa'), '>1\nACGT\n');
  writeFileSync(join(api.storageDir, 'outside.fa'), '>1\nACGT\n');
  symlinkSync(join(api.storageDir, 'outside.fa'), join(api.storageDir, 'incoming', 'link.fa'));
});
afterAll(() => api?.close());

const SOURCE = { path: 'incoming/set/a.fa' };
const create = (change: object = {}) => {
  const value = `g${randomUUID().slice(0, 8)}`;
  return api.call('POST', PATH, {
    token: staff.token,
    body: { display_name: value, value, source: SOURCE, ...change },
  });
};
const intents = async (name: string) =>
  (
    await api.deps
      .db('outbox')
      .where({ object: `Genome/${name}` })
      .orderBy('id')
  ).map(({ intent }) => intent);

describe('a genome', () => {
  test('[GENOME-02] [AUDIT-03] is created and listed, and its resource is requested', async () => {
    const annotation = [{ name: 'genes', kind: 'genes', version: '1', path: 'incoming/set/a.fa' }];
    const { status, body } = await create({
      value: 'Hg_Test',
      display_name: 'Test genome',
      instance_type: 'large',
      file_extensions: ['fa'],
      annotation,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      display_name: 'Test genome',
      value: 'Hg_Test',
      instance_type: 'large',
      file_extensions: ['fa'],
      active: true,
      ready: false,
    });
    expect((await api.call('GET', `${PATH}?page_size=99999`, { token: staff.token })).body.results).toContainEqual(
      body,
    );
    expect(await intents('hg-test')).toMatchObject([
      {
        type: 'apply',
        kind: 'Genome',
        object: {
          metadata: { name: 'hg-test' },
          spec: {
            value: 'Hg_Test',
            source: SOURCE,
            annotation: [{ name: 'genes', source: { path: 'incoming/set/a.fa' } }],
          },
        },
      },
    ]);
    expect(await api.deps.db('audit_log').where({ resource_id: body.id })).toMatchObject([
      { action: 'create', username: staff.username },
    ]);
  });

  test('[GENOME-02] [AUDIT-04] is deactivated and renamed, and its source stays unchanged', async () => {
    const { body } = await create();
    const change = { display_name: `New ${body.value}`, active: false, source: { path: 'incoming/other.fa' } };
    const changed = await api.call('PUT', `${PATH}/${body.id}`, { token: staff.token, body: change });
    expect(changed.body).toMatchObject({ display_name: `New ${body.value}`, active: false, source: SOURCE });
    expect((await intents(body.value)).at(-1)).toMatchObject({ object: { spec: { active: false, source: SOURCE } } });
  });

  test('with an existing value or display name is rejected', async () => {
    const { body } = await create();
    expect(await create({ value: body.value.toUpperCase() })).toMatchObject({
      status: 409,
      body: { code: 'genome_exists' },
    });
    expect((await create({ display_name: body.display_name })).status).toBe(409);
  });

  test.each([
    ['without a source', { source: undefined }, 'genome_source_required'],
    ['with both a path and a URL', { source: { ...SOURCE, url: 'https://a.b/c' } }, 'genome_source_required'],
    ['from outside incoming/', { source: { path: 'outside.fa' } }, 'genome_source_outside'],
    ['from a way up', { source: { path: 'incoming/../outside.fa' } }, 'genome_source_outside'],
    ['by a link that leads out', { source: { path: 'incoming/link.fa' } }, 'genome_source_outside'],
    ['that is not there', { source: { path: 'incoming/none.fa' } }, 'genome_source_missing'],
    ['of a value that is no name', { value: '../x' }, 'genome_value_characters'],
    [
      'from a URL, which is off',
      { source: { url: 'https://a.b/c', sha256: '0'.repeat(64) } },
      'genome_url_not_allowed',
    ],
    [
      'with annotation from outside',
      { annotation: [{ name: 'g', kind: 'genes', version: '1', path: 'outside.fa' }] },
      'genome_source_outside',
    ],
  ])('%s is refused', async (_what, change, code) => {
    const { status, body } = await create(change);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
  });

  test('from an https URL of an allowed host is accepted with its hash', async () => {
    await api.deps.db('setting').insert({ name: 'genome_url_hosts', value: '"a.b, c.d"', modified: new Date() });
    const source = { url: 'https://c.d/x.fa', sha256: '0'.repeat(64) };
    expect((await create({ source })).status).toBe(201);
    expect((await create({ source: { ...source, url: 'http://c.d/x.fa' } })).status).toBe(400);
    expect((await create({ source: { ...source, url: 'https://c.d.evil/x.fa' } })).status).toBe(400);
    expect((await create({ source: { url: source.url } })).status).toBe(400);
  });

  test('that was applied with kubectl gets its row once', async () => {
    const value = `k${randomUUID().slice(0, 8)}`;
    const status = {
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Indexed', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    };
    const object = {
      metadata: { name: value, uid: 'u', resourceVersion: '1' },
      spec: { value, displayName: value, source: SOURCE },
      status,
    } as never;
    const deps = { db: api.deps.db, now: () => new Date(), read: async () => object };
    await Promise.all([1, 2].map(() => mirrorGenome(deps, object)));
    expect(await api.deps.db('genome').where({ value })).toMatchObject([{ display_name: value, status }]);
    expect(await api.deps.db('audit_log').where({ resource: value })).toMatchObject([
      { username: 'kubectl', action: 'create' },
    ]);
  });
});
