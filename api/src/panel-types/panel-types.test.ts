import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pack } from 'tar-stream';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { addGenome, aPanel, type FormFile, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';

const PATH = '/api/v1/pivat/admin/panel_types';
let api: TestApi;
let staff: TestUser;
let group: string;

beforeAll(async () => {
  api = await startApi();
  await addGenome(api.deps.db);
  staff = await api.addUser({ staff: true });
  group = await api.addGroup();
});
afterAll(() => api?.close());

const newValue = () => `p${randomUUID().slice(0, 8)}`;
const control = (name: string): FormFile => ({ name, content: '[amplicons]\namplicon\tcopies\nA1\t2\n' });
type Files = Parameters<typeof panelForm>[1];
const create = (
  value: string,
  fields: Record<string, string | undefined> = {},
  files: Files = { panel_file: panelFileOf(aPanel(value)) },
  user = staff,
) =>
  api.call('POST', PATH, {
    token: user.token,
    form: panelForm({ display_name: `Panel ${value}`, value, genome: GENOME, ...fields }, files),
  });
const change = (id: string, fields: Record<string, string>, files: Files = {}, user = staff) =>
  api.call('PUT', `${PATH}/${id}`, { token: user.token, form: panelForm(fields, files) });
const intents = async (value: string) =>
  (
    await api.deps
      .db('outbox')
      .where({ object: `PanelType/${value}` })
      .orderBy('id')
  ).map(({ intent }) => intent);
const audits = (id: string) => api.deps.db('audit_log').where({ resource_id: id }).orderBy('created');

describe('creating a panel type', () => {
  test('[API-21] [PANEL-05] [PANEL-09] [PANEL-13] [AUDIT-03] stores its files, its row, the audit entry and the intent', async () => {
    const value = newValue();
    const panel = aPanel(value, { control: `${value}.txt` });
    const preset = { name: `${value}_strict.json`, content: JSON.stringify(presetOf(value)) };
    const { status, body } = await create(
      value,
      {
        group_list: JSON.stringify([group]),
        upload_parameter_files: 'true',
        file_extensions: '["fq"]',
        panel_group: 'Oncology',
      },
      { panel_file: panelFileOf(panel), control_file: control(`${value}.txt`), parameter_files: [preset] },
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({
      value,
      active: true,
      valid: true,
      ready: false,
      panel_group: 'Oncology',
      group_list: [group],
      amplicons: 2,
      bam_allowed: false,
      files: {
        panel: { name: `${value}.json` },
        control: { name: `${value}.txt` },
        parameters: [{ name: preset.name }],
      },
    });
    expect(await intents(value)).toMatchObject([
      {
        type: 'apply',
        kind: 'PanelType',
        object: {
          metadata: { name: value },
          spec: {
            value,
            genome: GENOME,
            allowedGroups: [group],
            files: { panel: { sha256: body.files.panel.sha256 } },
          },
        },
      },
    ]);
    expect(await audits(body.id)).toMatchObject([
      { action: 'create', username: staff.username, resource_type: 'panel_type' },
    ]);
    expect((await api.call('GET', `${PATH}/${body.id}`, { token: staff.token })).body).toEqual(body);
  });

  test('[PANEL-08] takes the files of a tarball, and nothing of its folders or links', async () => {
    const value = newValue();
    const panel = aPanel(value, { control: `${value}.txt` });
    const tar = pack();
    tar.entry({ name: `../../../${value}.json` }, JSON.stringify(panel));
    tar.entry({ name: `deep/${value}.txt` }, control('').content as string);
    tar.entry({ name: 'etc', type: 'symlink', linkname: '/etc' });
    tar.finalize();
    const chunks: Buffer[] = [];
    for await (const chunk of tar) chunks.push(chunk as Buffer);
    const tarball = { name: 'panel.tar.gz', content: gzipSync(Buffer.concat(chunks)) };
    const { status, body } = await create(value, {}, { panel_tarball: tarball });
    expect(status).toBe(201);
    expect(body.files).toMatchObject({ panel: { name: `${value}.json` }, control: { name: `${value}.txt` } });
  });

  test('a tarball that is none is refused', async () => {
    const { status, body } = await create(newValue(), {}, { panel_tarball: { name: 'x.tar.gz', content: 'hello' } });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'panel_tarball_invalid' });
  });

  test('[ERR-36] a display name that exists is refused', async () => {
    const value = newValue();
    await create(value);
    const { status, body } = await create(newValue(), { display_name: `PANEL ${value}` });
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'Duplicate display name.' });
  });

  test('[ERR-37] a value that exists is refused, also in other letters: it names a resource', async () => {
    const value = `${newValue()}_a`;
    await create(value);
    for (const same of [value, value.toUpperCase(), value.replace('_', '-')]) {
      const { status, body } = await create(same, { display_name: randomUUID() });
      expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'Duplicate value.' });
    }
  });

  test('[ERR-42] without a panel file is refused', async () => {
    const { status, body } = await create(newValue(), {}, {});
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({
      status: 400,
      text: 'The panel file does not exist.',
    });
  });

  test.each([
    ['no json', { name: 'VALUE.json', content: 'chrom\tstart' }],
    ['another name', { name: 'other.json', content: '{}' }],
    ['another extension', { name: 'VALUE.txt', content: '{}' }],
  ])('[ERR-43] a panel file of %s is refused', async (_what, file) => {
    const value = newValue();
    const { status, body } = await create(
      value,
      {},
      { panel_file: { ...file, name: file.name.replace('VALUE', value) } },
    );
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({
      status: 400,
      text: 'The panel file must be json and named as the value.',
    });
  });

  test('[ERR-44] a control file of another name than the panel file says is refused', async () => {
    const value = newValue();
    const files = {
      panel_file: panelFileOf(aPanel(value, { control: 'right.txt' })),
      control_file: control('wrong.txt'),
    };
    const { status, body } = await create(value, {}, files);
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 400, text: 'Control file name error.' });
  });

  test('[PANEL-07] a control file that is not txt is refused', async () => {
    const value = newValue();
    const files = { panel_file: panelFileOf(aPanel(value, { control: 'c.txt' })), control_file: control('c.csv') };
    const { status, body } = await create(value, {}, files);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'control_file_type' });
  });

  test('[ERR-40] a control file whose name another panel type has is refused', async () => {
    const [first, second, name] = [newValue(), newValue(), `${newValue()}.txt`];
    const files = (value: string) => ({
      panel_file: panelFileOf(aPanel(value, { control: name })),
      control_file: control(name),
    });
    expect((await create(first, {}, files(first))).status).toBe(201);
    const { status, body } = await create(second, {}, files(second));
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'The control already exists.' });
  });

  test('[ERR-41] control data whose name another panel type has are refused', async () => {
    const [first, second, name] = [newValue(), newValue(), `${newValue()}.tsv`];
    const files = (value: string) => ({
      panel_file: panelFileOf(aPanel(value)),
      control_data_file: { name, content: 'x' },
    });
    expect((await create(first, {}, files(first))).status).toBe(201);
    const { status, body } = await create(second, {}, files(second));
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({
      status: 409,
      text: 'The control data already exists.',
    });
  });

  test('[PANEL-12] an amplicon outside the genome is refused with its name, and nothing is stored', async () => {
    const value = newValue();
    const panel = aPanel(value);
    panel.amplicons[1] = { ...panel.amplicons[1]!, start: 9_901, end: 10_100, insert: { start: 9_921, end: 10_080 } };
    const { status, body } = await create(value, {}, { panel_file: panelFileOf(panel) });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'panel_file_invalid' });
    expect(body.DISPLAY_ERROR_MESSAGE).toMatch(/A2.*outside the genome/);
    expect(await api.deps.db('panel_type').where({ value })).toEqual([]);
    expect(await intents(value)).toEqual([]);
  });

  test('of an unknown genome is refused', async () => {
    expect((await create(newValue(), { genome: 'none' })).body.code).toBe('genome_unknown');
  });
});

describe('changing a panel type', () => {
  test('[API-22] [PANEL-06] [PANEL-14] [AUDIT-04] changes fields, with each change in the audit log', async () => {
    const value = newValue();
    const { body } = await create(value);
    const { status, body: after } = await change(body.id, { active: 'false', panel_group: 'New' });
    expect(status).toBe(200);
    expect(after).toMatchObject({ active: false, panel_group: 'New', files: body.files });
    expect((await audits(body.id))[1]).toMatchObject({
      action: 'update',
      changes: [
        { field: 'panel_group', from: '', to: 'New' },
        { field: 'active', from: true, to: false },
      ],
    });
  });

  test('[PANEL-11] [ERR-38] replaces a file that exists only after it was confirmed', async () => {
    const value = newValue();
    const { body } = await create(value);
    const longer = panelFileOf(aPanel(value, { version: '2' }));
    const refused = await change(body.id, {}, { panel_file: longer });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'panel_files_exist', details: { files: `${value}.json` } },
    });
    const replaced = await change(body.id, { overwrite: 'true' }, { panel_file: longer });
    expect(replaced.status).toBe(200);
    expect(replaced.body.files.panel.sha256).not.toBe(body.files.panel.sha256);
    expect((await intents(value)).length).toBe(2);
  });

  test('never changes the value', async () => {
    const { body } = await create(newValue());
    expect((await change(body.id, { value: 'other' })).body.code).toBe('panel_value_fixed');
  });
});

test('[API-51] [PANEL-10] files are classed New, Exist or Invalid before they are stored', async () => {
  const value = newValue();
  await create(value);
  const form = panelForm(
    { value, genome: GENOME },
    {
      panel_file: panelFileOf(aPanel(value)),
      parameter_files: [
        { name: 'a.json', content: JSON.stringify(presetOf(value)) },
        { name: 'b.json', content: '{' },
      ],
    },
  );
  const { status, body } = await api.call('POST', `${PATH}/classify`, { token: staff.token, form });
  expect(status).toBe(200);
  expect(body.map((file: { name: string; status: string }) => [file.name, file.status])).toEqual([
    [`${value}.json`, 'Exist'],
    ['a.json', 'New'],
    ['b.json', 'Invalid'],
  ]);
});

test('a BED becomes a panel file with 1-based positions', async () => {
  const form = panelForm(
    { value: 'mybed', genome: GENOME },
    { file: { name: 'x.bed', content: '1\t100\t300\tA1\n1\t500\t700\tA2\n' } },
  );
  const { status, body } = await api.call('POST', `${PATH}/import`, { token: staff.token, form });
  expect(status).toBe(200);
  expect(body.amplicons).toMatchObject([
    { name: 'A1', start: 101, end: 300 },
    { name: 'A2', start: 501, end: 700 },
  ]);
  const wrong = panelForm({ value: 'mybed', genome: GENOME }, { file: { name: 'x.bed', content: '1\t300\t100\n' } });
  expect((await api.call('POST', `${PATH}/import`, { token: staff.token, form: wrong })).body.code).toBe(
    'panel_import_invalid',
  );
});

describe('who sees a panel type', () => {
  test('[ROLE-15] [PANEL-13] [PANEL-14] members of an allowed group do while it is active, others do not', async () => {
    const [mine, theirs] = [await api.addGroup(), await api.addGroup()];
    const member = await api.addUser({ groups: { [mine]: 'member' } });
    const other = await api.addUser({ groups: { [theirs]: 'member' } });
    const [limited, open] = [newValue(), newValue()];
    const { body } = await create(limited, { group_list: JSON.stringify([mine]) });
    await create(open);
    const seen = async (user: TestUser) =>
      (await api.call('GET', '/api/v1/pivat/0/panel-types', { token: user.token })).body.results.map(
        (panel: { value: string }) => panel.value,
      );
    expect(await seen(member)).toEqual(expect.arrayContaining([limited, open]));
    expect(await seen(other)).toContain(open);
    expect(await seen(other)).not.toContain(limited);
    const file = `/api/v1/pivat/0/panel-types/${body.id}/panel-file`;
    expect((await api.call('GET', file, { token: member.token })).body).toMatchObject({ value: limited });
    expect((await api.call('GET', file, { token: other.token })).status).toBe(404);
    await change(body.id, { active: 'false' });
    expect(await seen(member)).not.toContain(limited);
  });

  test("[ROLE-07] a group's admin manages those of the group alone", async () => {
    const [mine, theirs] = [await api.addGroup(), await api.addGroup()];
    const admin = await api.addUser({ groups: { [mine]: 'admin' } });
    const [own, open, foreign] = [newValue(), newValue(), newValue()];
    const created = await create(own, {}, { panel_file: panelFileOf(aPanel(own)) }, admin);
    expect(created).toMatchObject({ status: 201, body: { group_list: [mine] } });
    const { body: shared } = await create(open);
    const { body: hidden } = await create(foreign, { group_list: JSON.stringify([theirs]) });
    expect((await change(created.body.id, { panel_group: 'x' }, {}, admin)).status).toBe(200);
    expect((await change(shared.id, { panel_group: 'x' }, {}, admin)).status).toBe(403);
    expect((await change(hidden.id, { panel_group: 'x' }, {}, admin)).status).toBe(404);
    expect((await change(created.body.id, { group_list: JSON.stringify([theirs]) }, {}, admin)).status).toBe(403);
  });
});

test('[API-08] [API-19] page_size=99999 returns all panel types', async () => {
  const { status, body } = await api.call('GET', `${PATH}/?page_size=99999`, { token: staff.token });
  expect(status).toBe(200);
  expect(body.results.length).toBe(body.count);
});

function presetOf(panel: string) {
  const none = { useDefault: true, rows: [] };
  return {
    schema_version: 1,
    name: 'strict',
    panel,
    pipelineVersion: 'panel-1.0.0',
    roi: none,
    bisulfiteTargets: none,
    cpgSites: none,
    parameters: { useDefault: true, values: {} },
    postFilter: { useDefault: true, groups: [] },
    qc: { useDefault: true, skip: false, conditions: [] },
    functionalAnnotation: true,
    copyGain: 1.3,
    copyLoss: 0.7,
  };
}
