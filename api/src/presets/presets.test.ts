import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { addGenome, aPanel, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';

const BASE = '/api/v1/pivat';
let api: TestApi;
let group: string;
let user: TestUser;
let panel: { id: string; value: string };

beforeAll(async () => {
  api = await startApi();
  await addGenome(api.deps.db);
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
  const staff = await api.addUser({ staff: true });
  const form = panelForm(
    { display_name: 'Mini', value: 'mini_panel', genome: GENOME },
    { panel_file: panelFileOf(aPanel('mini_panel')) },
  );
  panel = (await api.call('POST', `${BASE}/admin/panel_types`, { token: staff.token, form })).body;
});
afterAll(() => api?.close());

const call = (method: string, path: string, body?: unknown) =>
  api.call(method, `${BASE}/${group}${path}`, { token: user.token, body });
const defaults = async () => (await call('GET', `/custom-preset/default/${panel.id}/`)).body;
const newName = () => `preset_${randomUUID().slice(0, 8)}`;
const create = async (change: object = {}, copyOf?: string) =>
  call('POST', '/custom-preset', {
    content: { ...(await defaults()), name: newName(), ...change },
    ...(copyOf && { save_as_new_of: copyOf }),
  });

describe('a parameters file', () => {
  test('[API-44] begins with the defaults of its panel', async () => {
    expect(await defaults()).toMatchObject({
      panel: 'mini_panel',
      roi: {
        useDefault: true,
        rows: [
          { amplicon: 'A1', start: 121, end: 280 },
          { amplicon: 'A2', start: 521, end: 680 },
        ],
      },
      parameters: { useDefault: true },
      functionalAnnotation: true,
    });
  });

  test('[PRESET-05] [API-43] [API-41] [AUDIT-03] keeps every part that was set, and is read back by id and by name', async () => {
    const parts = {
      name: newName(),
      roi: {
        useDefault: false,
        rows: [{ amplicon: 'A1', start: 130, end: 200, location: { chrom: '1', start: 140, end: 150 } }],
      },
      bisulfiteTargets: { useDefault: false, rows: [{ name: 'T1', chrom: '1', start: 130, end: 200 }] },
      cpgSites: { useDefault: false, rows: [{ name: 'C1', chrom: '1', pos: 150 }] },
      parameters: { useDefault: false, values: { min_depth: 77, aligner: 'bwa' } },
      postFilter: {
        useDefault: false,
        groups: [
          {
            name: 'G',
            filters: [{ name: 'F', conditions: [{ field: 'vaf', operator: '>=', value: 0.05, missingPasses: false }] }],
          },
        ],
      },
      qc: {
        useDefault: false,
        skip: true,
        conditions: [{ metric: 'mean_depth', operator: '>=', value: 50, action: 'warn' }],
      },
      functionalAnnotation: false,
      copyGain: 1.5,
      copyLoss: 0.5,
    };
    const { status, body } = await create(parts);
    expect(status).toBe(201);
    expect(body.content).toMatchObject(parts);
    expect(body.info).toMatchObject({
      name: parts.name,
      panel: 'mini_panel',
      panel_id: panel.id,
      version: 1,
      owner: user.username,
    });
    expect((await call('GET', `/custom-preset/${body.info.id}/`)).body).toEqual(body);
    expect((await call('GET', `/custom-preset/mini_panel/${parts.name}/`)).body).toEqual(body);
    expect(await api.deps.db('audit_log').where({ resource_id: body.info.id })).toMatchObject([
      { action: 'create', resource_type: 'preset' },
    ]);
  });

  test('[API-42] [API-08] is in the list of its group', async () => {
    const { body } = await create();
    const { body: list } = await call('GET', '/custom-preset/info/?page=1&page_size=9999');
    expect(list.results).toContainEqual(body.info);
    expect(list.results.length).toBe(list.count);
  });

  test('[AUDIT-04] is changed; its version grows with each change and not without one', async () => {
    const { body } = await create();
    const content = { ...body.content, copyGain: 2 };
    const changed = await call('PUT', `/custom-preset/${body.info.id}`, { content });
    expect(changed.body).toMatchObject({ info: { version: 2 }, content: { copyGain: 2 } });
    expect((await call('PUT', `/custom-preset/${body.info.id}`, { content })).body.info.version).toBe(2);
    const entries = await api.deps.db('audit_log').where({ resource_id: body.info.id, action: 'update' });
    expect(entries).toMatchObject([
      {
        changes: [
          { field: 'copyGain', from: 1.3, to: 2 },
          { field: 'version', from: 1, to: 2 },
        ],
      },
    ]);
  });

  test('drops the parts that use the default', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ name: `C${i}`, chrom: '1', pos: i + 1 }));
    const { status, body } = await create({ cpgSites: { useDefault: true, rows } });
    expect(status).toBe(201);
    expect(body.content).toMatchObject({
      roi: { useDefault: true, rows: [] },
      cpgSites: { useDefault: true, rows: [] },
      parameters: { useDefault: true, values: {} },
      postFilter: { useDefault: true, groups: [] },
      qc: { useDefault: true, conditions: [] },
    });
  });

  test('of any size creates a small entry in the audit log', async () => {
    const sites = (first: number) => ({
      useDefault: false,
      rows: Array.from({ length: 20_000 }, (_, i) => ({ name: `C${first + i}`, chrom: '1', pos: first + i })),
    });
    const { body } = await create({ cpgSites: sites(1) });
    const content = { ...body.content, cpgSites: sites(2) };
    expect((await call('PUT', `/custom-preset/${body.info.id}`, { content })).status).toBe(200);
    const entries = await api.deps.db('audit_log').where({ resource_id: body.info.id }).orderBy('created');
    expect(entries.map(({ changes }) => JSON.stringify(changes).length < 65_536)).toEqual([true, true]);
    expect(entries[1]!.changes).toMatchObject([
      {
        field: 'cpgSites.rows',
        from: { items: 20_000, removed: [{ name: 'C1' }] },
        to: { items: 20_000, added: [{ name: 'C20001' }] },
      },
      { field: 'version', from: 1, to: 2 },
    ]);
  });

  test.each([
    ['a CpG name', { cpgSites: { useDefault: false, rows: [{ name: 'C'.repeat(201), chrom: '1', pos: 1 }] } }],
    [
      'a chromosome',
      { bisulfiteTargets: { useDefault: false, rows: [{ name: 'T', chrom: 'c'.repeat(64), start: 1, end: 2 }] } },
    ],
    ['a parameter', { parameters: { useDefault: false, values: { aligner: 'b'.repeat(1_001) } } }],
    ['the key of a parameter', { parameters: { useDefault: false, values: { ['k'.repeat(65)]: 1 } } }],
  ])('with %s longer than its limit is refused', async (_what, change) => {
    expect(await create(change)).toMatchObject({ status: 400, body: { code: 'request_invalid' } });
  });

  test('has an hourly limit of saves per user, also for parallel calls', async () => {
    const { db } = api.deps;
    const other = await api.addUser({ groups: { [group]: 'member' } });
    await db('setting').insert({ name: 'preset_saves_per_hour', value: '3', modified: new Date() });
    const content = { ...(await defaults()), name: 'x' };
    const save = (token = other.token) =>
      api.call('POST', `${BASE}/${group}/custom-preset`, {
        token,
        body: { content: { ...content, name: newName() } },
      });
    const answers = await Promise.all(Array.from({ length: 6 }, () => save()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
    expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
      code: 'preset_saves_exceeded',
      DISPLAY_ERROR_MESSAGE: 'You have reached the limit of 3 saved parameters files per hour. Try again later.',
    });
    api.advance(3_601);
    const { username, password } = other;
    const again = await api.call('POST', '/auth/login', { body: { username, password } });
    expect((await save(again.body.token)).status).toBe(201);
    api.advance(-3_601);
    await db('setting').where({ name: 'preset_saves_per_hour' }).delete();
  });

  test('[PRESET-04] [API-47] [AUDIT-05] is deleted, no longer listed, and its name is free', async () => {
    const { body } = await create();
    expect((await call('DELETE', `/custom-preset/${body.info.id}/`)).status).toBe(204);
    expect((await call('GET', `/custom-preset/${body.info.id}`)).status).toBe(404);
    expect((await call('GET', '/custom-preset/info')).body.results).not.toContainEqual(body.info);
    expect((await create({ name: body.info.name })).status).toBe(201);
  });

  test('[ERR-31] of a name that exists is refused', async () => {
    const { body } = await create();
    expect(await create({ name: body.info.name.toUpperCase() })).toMatchObject({
      status: 409,
      body: { DISPLAY_ERROR_MESSAGE: 'This name already exists.' },
    });
  });

  test('[PRESET-09] [PRESET-10] is saved as new under another name, and the original is kept', async () => {
    const { body } = await create();
    expect((await create({ name: body.info.name }, body.info.id)).body.code).toBe('preset_name_unchanged');
    expect((await create({}, randomUUID())).body.code).toBe('preset_base_missing');
    expect((await create({}, body.info.id)).status).toBe(201);
    expect((await call('GET', `/custom-preset/${body.info.id}`)).body).toEqual(body);
  });

  test.each([
    [{ name: '' }, 'preset_name_required'],
    [{ name: '1a' }, 'preset_name_start'],
    [{ name: 'a b' }, 'preset_name_characters'],
    [{ roi: { useDefault: false, rows: [] } }, 'preset_roi_blank'],
    [{ copyGain: 0.9 }, 'copy_gain_invalid'],
    [{ copyLoss: 0 }, 'copy_loss_invalid'],
  ])('with %j is refused with its own text', async (change, code) => {
    expect(await create(change)).toMatchObject({ status: 400, body: { code } });
  });

  test('with several mistakes says to fix the form and lists each with its field', async () => {
    const { body } = await create({
      copyGain: 0,
      roi: {
        useDefault: false,
        rows: [
          { amplicon: 'A1', start: 100, end: 200 },
          { amplicon: 'none', start: 1, end: 2 },
        ],
      },
      parameters: { useDefault: false, values: { min_depth: 0 } },
    });
    expect(body.code).toBe('preset_invalid');
    expect(body.details.problems.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual([
      ['roi.rows[0]', 'roi_outside_insert'],
      ['roi.rows[1].amplicon', 'roi_amplicon_unknown'],
      ['parameters.values.min_depth', 'number_min'],
      ['copyGain', 'copy_gain_invalid'],
    ]);
  });

  test('[ROLE-17] is not found in another group', async () => {
    const { body } = await create();
    const elsewhere = await api.addGroup();
    const other = await api.addUser({ groups: { [elsewhere]: 'admin' } });
    for (const path of [body.info.id, `mini_panel/${body.info.name}`]) {
      expect((await api.call('GET', `${BASE}/${elsewhere}/custom-preset/${path}`, { token: other.token })).status).toBe(
        404,
      );
    }
    const put = await api.call('PUT', `${BASE}/0/custom-preset/${body.info.id}`, {
      token: other.token,
      body: { content: body.content },
    });
    expect(put.status).toBe(404);
    expect((await api.call('DELETE', `${BASE}/0/custom-preset/${body.info.id}`, { token: other.token })).status).toBe(
      404,
    );
  });
});

test('[API-45] [API-46] [API-40] metadata and form fields describe the content of a parameters file', async () => {
  const { body: one } = await call('GET', '/custom-preset/metadata/mini_panel/');
  expect(one).toMatchObject({
    panel: 'mini_panel',
    chemistry: 'amplicon',
    amplicons: [{ name: 'A1', start: 121, end: 280 }, { name: 'A2' }],
  });
  expect(one.parameters).toContainEqual(
    expect.objectContaining({
      key: 'min_depth',
      type: 'integer',
      help: { en: expect.any(String), zh: expect.any(String) },
    }),
  );
  expect((await call('GET', '/custom-preset/metadata/')).body).toEqual([one]);
  const fields = [{ panel_id: panel.id, panel: 'mini_panel', fields: one.parameters }];
  expect((await call('GET', '/panel-form-fields/')).body).toEqual(fields);
  expect((await api.call('GET', `${BASE}/panel-form-fields/`, { token: user.token })).body).toEqual(fields);
  expect((await call('GET', '/custom-preset/metadata/none')).status).toBe(404);
});
