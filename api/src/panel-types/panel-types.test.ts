import { randomUUID } from 'node:crypto';
import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import { PANEL_TYPES, panelTypeTests } from '../../test-support/panel-type-calls.ts';
import { aPanel, aValue, controlFile, GENOME, panelFileOf } from '../../test-support/panels.ts';

const given = panelTypeTests();
let group: string;
beforeAll(async () => {
  group = await given.api.addGroup();
});

test('[API-20] [API-21] [PANEL-05] [PANEL-09] [PANEL-13] [AUDIT-03] stores its files, its row, the audit entry and the intent', async () => {
  const value = aValue();
  const panel = aPanel(value, { control: `${value}.txt` });
  const preset = {
    name: `${value}_strict.json`,
    content: JSON.stringify(defaultPreset(aPanel(value), 'panel-1.0.0', 'strict')),
  };
  const { status, body } = await given.panels.create(
    value,
    {
      group_list: JSON.stringify([group]),
      upload_parameter_files: 'true',
      file_extensions: '["fq"]',
      panel_group: 'Oncology',
    },
    { panel_file: panelFileOf(panel), control_file: controlFile(`${value}.txt`), parameter_files: [preset] },
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
  expect(await given.panels.intents(value)).toMatchObject([
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
  expect(await given.panels.audits(body.id)).toMatchObject([
    { action: 'create', username: given.panels.staff.username, resource_type: 'panel_type' },
  ]);
  expect((await given.api.call('GET', `${PANEL_TYPES}/${body.id}`, { token: given.panels.staff.token })).body).toEqual(
    body,
  );
});

test('[ERR-36] a display name that exists is refused', async () => {
  const value = aValue();
  await given.panels.create(value);
  const { status, body } = await given.panels.create(aValue(), { display_name: `PANEL ${value}` });
  expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'Duplicate display name.' });
});

test('[ERR-37] a value that exists is refused, also in other letters: it names a resource', async () => {
  const value = `${aValue()}_a`;
  await given.panels.create(value);
  for (const same of [value, value.toUpperCase(), value.replace('_', '-')]) {
    const { status, body } = await given.panels.create(same, { display_name: randomUUID() });
    expect({ status, text: body.DISPLAY_ERROR_MESSAGE }).toEqual({ status: 409, text: 'Duplicate value.' });
  }
});

test('of an unknown genome is refused', async () => {
  expect((await given.panels.create(aValue(), { genome: 'none' })).body.code).toBe('genome_unknown');
});

test('[API-22] [PANEL-06] [PANEL-14] [AUDIT-04] changes fields, with each change in the audit log', async () => {
  const value = aValue();
  const { body } = await given.panels.create(value);
  const { status, body: after } = await given.panels.change(body.id, { active: 'false', panel_group: 'New' });
  expect(status).toBe(200);
  expect(after).toMatchObject({ active: false, panel_group: 'New', files: body.files });
  expect((await given.panels.audits(body.id))[1]).toMatchObject({
    action: 'update',
    changes: [
      { field: 'panel_group', from: '', to: 'New' },
      { field: 'active', from: true, to: false },
    ],
  });
});

test('never changes the value', async () => {
  const { body } = await given.panels.create(aValue());
  expect((await given.panels.change(body.id, { value: 'other' })).body.code).toBe('panel_value_fixed');
});
