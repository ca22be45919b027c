import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { pack } from 'tar-stream';
import { PANEL_TYPES, panelTypeTests } from '../../test-support/panel-type-calls.ts';
import { aPanel, aValue, controlFile, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';

const given = panelTypeTests();

test('[PANEL-08] takes the files of a tarball, and nothing of its folders or links', async () => {
  const value = aValue();
  const panel = aPanel(value, { control: `${value}.txt` });
  const tar = pack();
  tar.entry({ name: `../../../${value}.json` }, JSON.stringify(panel));
  tar.entry({ name: `deep/${value}.txt` }, controlFile('').content as string);
  tar.entry({ name: 'etc', type: 'symlink', linkname: '/etc' });
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  const tarball = { name: 'panel.tar.gz', content: gzipSync(Buffer.concat(chunks)) };
  const { status, body } = await given.panels.create(value, {}, { panel_tarball: tarball });
  expect(status).toBe(201);
  expect(body.files).toMatchObject({ panel: { name: `${value}.json` }, control: { name: `${value}.txt` } });
});

test('a file that is not a tarball is rejected', async () => {
  const { status, body } = await given.panels.create(
    aValue(),
    {},
    { panel_tarball: { name: 'x.tar.gz', content: 'hello' } },
  );
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'panel_tarball_invalid' });
});

test('without a panel file is refused', async () => {
  const { status, body } = await given.panels.create(aValue(), {}, {});
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
  const value = aValue();
  const { status, body } = await given.panels.create(
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
  const value = aValue();
  const files = {
    panel_file: panelFileOf(aPanel(value, { control: 'right.txt' })),
    control_file: controlFile('wrong.txt'),
  };
  const { status, body } = await given.panels.create(value, {}, files);
  expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 400, text: 'Control file name error.' });
});

test('[PANEL-07] a control file that is not txt is refused', async () => {
  const value = aValue();
  const files = { panel_file: panelFileOf(aPanel(value, { control: 'c.txt' })), control_file: controlFile('c.csv') };
  const { status, body } = await given.panels.create(value, {}, files);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'control_file_type' });
});

test('[ERR-39] a panel file that is on storage without a panel type is not replaced', async () => {
  const value = aValue();
  const folder = join(given.api.storageDir, 'panels', value);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${value}.json`), 'old');
  const { status, body } = await given.panels.create(value);
  expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'The panel already exists.' });
  expect(readFileSync(join(folder, `${value}.json`), 'utf8')).toBe('old');
});

test('[ERR-40] a control file whose name another panel type has is refused', async () => {
  const [first, second, name] = [aValue(), aValue(), `${aValue()}.txt`];
  const files = (value: string) => ({
    panel_file: panelFileOf(aPanel(value, { control: name })),
    control_file: controlFile(name),
  });
  expect((await given.panels.create(first, {}, files(first))).status).toBe(201);
  const { status, body } = await given.panels.create(second, {}, files(second));
  expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'The control already exists.' });
});

test('[ERR-41] control data whose name another panel type has are refused', async () => {
  const [first, second, name] = [aValue(), aValue(), `${aValue()}.tsv`];
  const files = (value: string) => ({
    panel_file: panelFileOf(aPanel(value)),
    control_data_file: { name, content: 'x' },
  });
  expect((await given.panels.create(first, {}, files(first))).status).toBe(201);
  const { status, body } = await given.panels.create(second, {}, files(second));
  expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({
    status: 409,
    text: 'The control data already exists.',
  });
});

test('[PANEL-12] an amplicon outside the genome is refused with its name, and nothing is stored', async () => {
  const value = aValue();
  const panel = aPanel(value);
  panel.amplicons[1] = { ...panel.amplicons[1]!, start: 9_901, end: 10_100, insert: { start: 9_921, end: 10_080 } };
  const { status, body } = await given.panels.create(value, {}, { panel_file: panelFileOf(panel) });
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'panel_file_invalid' });
  expect(body.DISPLAY_ERROR_MESSAGE).toMatch(/A2.*outside the genome/);
  expect(await given.api.deps.db('panel_type').where({ value })).toEqual([]);
  expect(await given.panels.intents(value)).toEqual([]);
});

test('[ERR-38] replaces a file that exists only after it was confirmed', async () => {
  const value = aValue();
  const { body } = await given.panels.create(value);
  const longer = panelFileOf(aPanel(value, { version: '2' }));
  const refused = await given.panels.change(body.id, {}, { panel_file: longer });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'panel_files_exist', details: { files: `${value}.json` } },
  });
  const replaced = await given.panels.change(body.id, { overwrite: 'true' }, { panel_file: longer });
  expect(replaced.status).toBe(200);
  expect(replaced.body.files.panel.sha256).not.toBe(body.files.panel.sha256);
  expect((await given.panels.intents(value)).length).toBe(2);
});

test('parallel changes keep every file that the panel type references, and later remove the earlier ones', async () => {
  const value = aValue();
  const { body } = await given.panels.create(value);
  const folder = join(given.api.storageDir, 'panels', value);
  const contents = () => readdirSync(folder).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const answers = await Promise.all(
    ['2', '3', '4', '5', '6'].map((version) =>
      given.panels.change(body.id, { overwrite: 'true' }, { panel_file: panelFileOf(aPanel(value, { version })) }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const row = () => given.api.deps.db('panel_type').where({ value }).first();
  const { files, panel } = (await row())!;
  const stored = JSON.parse(readFileSync(join(given.api.storageDir, files.panel.path), 'utf8'));
  expect(stored).toEqual(panel);

  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const name of contents()) utimesSync(join(folder, name), old, old);
  await given.panels.change(body.id, { panel_group: 'x' });
  expect(contents()).toEqual([files.panel.path.split('/').at(-2)]);
});

test('parallel changes preserve all fields and files', async () => {
  const value = aValue();
  const { body } = await given.panels.create(value);
  const data = { name: `${value}.tsv`, content: 'x' };
  const [one, two] = await Promise.all([
    given.panels.change(body.id, {}, { control_data_file: data }),
    given.panels.change(body.id, { panel_group: 'blood' }),
  ]);
  expect([one.status, two.status]).toEqual([200, 200]);
  const row = await given.api.deps.db('panel_type').where({ value }).first();
  expect(row).toMatchObject({ panel_group: 'blood', files: { control_data: { name: data.name } } });
});

test('[API-51] [PANEL-10] files are classed New, Exist or Invalid before they are stored', async () => {
  const value = aValue();
  await given.panels.create(value);
  const form = panelForm(
    { value, genome: GENOME },
    {
      panel_file: panelFileOf(aPanel(value)),
      parameter_files: [
        { name: 'a.json', content: JSON.stringify(defaultPreset(aPanel(value), 'panel-1.0.0', 'strict')) },
        { name: 'b.json', content: '{' },
      ],
    },
  );
  const { status, body } = await given.api.call('POST', `${PANEL_TYPES}/classify`, {
    token: given.panels.staff.token,
    form,
  });
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
  const { status, body } = await given.api.call('POST', `${PANEL_TYPES}/import`, {
    token: given.panels.staff.token,
    form,
  });
  expect(status).toBe(200);
  expect(body.amplicons).toMatchObject([
    { name: 'A1', start: 101, end: 300 },
    { name: 'A2', start: 501, end: 700 },
  ]);
  const wrong = panelForm({ value: 'mybed', genome: GENOME }, { file: { name: 'x.bed', content: '1\t300\t100\n' } });
  expect(
    (await given.api.call('POST', `${PANEL_TYPES}/import`, { token: given.panels.staff.token, form: wrong })).body.code,
  ).toBe('panel_import_invalid');
});
