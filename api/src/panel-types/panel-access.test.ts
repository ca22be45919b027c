import { defaultPreset } from '@seqpanel/crds/preset-default.ts';
import type { TestUser } from '../../test-support/api.ts';
import { PANEL_TYPES, panelTypeTests } from '../../test-support/panel-type-calls.ts';
import { aPanel, aValue, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';

const given = panelTypeTests();

test('[ROLE-15] [PANEL-13] [PANEL-14] can be launched by members of an allowed group while it is active, and by no others', async () => {
  const [mine, theirs] = [await given.api.addGroup(), await given.api.addGroup()];
  const member = await given.api.addUser({ groups: { [mine]: 'member' } });
  const other = await given.api.addUser({ groups: { [theirs]: 'member' } });
  const [limited, open] = [aValue(), aValue()];
  const { body } = await given.panels.create(limited, { group_list: JSON.stringify([mine]) });
  await given.panels.create(open);
  const seen = async (user: TestUser) =>
    (await given.api.call('GET', '/api/v1/pivat/0/panel-types', { token: user.token })).body.results.map(
      (panel: { value: string }) => panel.value,
    );
  expect(await seen(member)).toEqual(expect.arrayContaining([limited, open]));
  expect(await seen(other)).toContain(open);
  expect(await seen(other)).not.toContain(limited);
  const file = `/api/v1/pivat/0/panel-types/${body.id}/panel-file`;
  expect((await given.api.call('GET', file, { token: member.token })).body).toMatchObject({ value: limited });
  expect((await given.api.call('GET', file, { token: other.token })).status).toBe(404);
  await given.panels.change(body.id, { active: 'false' });
  expect(await seen(member)).not.toContain(limited);
});

test("[ROLE-07] a group's admin manages only the panel types of the group", async () => {
  const [mine, theirs] = [await given.api.addGroup(), await given.api.addGroup()];
  const admin = await given.api.addUser({ groups: { [mine]: 'admin' } });
  const [own, open, foreign] = [aValue(), aValue(), aValue()];
  const created = await given.panels.create(own, {}, { panel_file: panelFileOf(aPanel(own)) }, admin);
  expect(created).toMatchObject({ status: 201, body: { group_list: [mine] } });
  const { body: shared } = await given.panels.create(open);
  const { body: hidden } = await given.panels.create(foreign, { group_list: JSON.stringify([theirs]) });
  expect((await given.panels.change(created.body.id, { panel_group: 'x' }, {}, admin)).status).toBe(200);
  expect((await given.panels.change(shared.id, { panel_group: 'x' }, {}, admin)).status).toBe(403);
  expect((await given.panels.change(hidden.id, { panel_group: 'x' }, {}, admin)).status).toBe(404);
  expect((await given.panels.change(created.body.id, { group_list: JSON.stringify([theirs]) }, {}, admin)).status).toBe(
    403,
  );
});

test("[ROLE-07] files are not classified with a panel type of a group that the group's admin does not manage", async () => {
  const [mine, theirs] = [await given.api.addGroup(), await given.api.addGroup()];
  const admin = await given.api.addUser({ groups: { [mine]: 'admin' } });
  const value = aValue();
  await given.panels.create(value, { group_list: JSON.stringify([theirs]) });
  const classify = async (user: TestUser) => {
    const preset = { ...defaultPreset(aPanel(value), 'panel-1.0.0', 'p'), copyGain: 0.5 };
    const form = panelForm(
      { value, genome: GENOME },
      {
        parameter_files: [{ name: 'p.json', content: JSON.stringify({ ...preset, panel: value }) }],
      },
    );
    const { body } = await given.api.call('POST', `${PANEL_TYPES}/classify`, { token: user.token, form });
    return body.map(({ name, status }: { name: string; status: string }) => [name, status]);
  };
  // With its panel the file is invalid. Without a panel it cannot be checked.
  expect(await classify(given.panels.staff)).toEqual([['p.json', 'Invalid']]);
  expect(await classify(admin)).toEqual([['p.json', 'New']]);
});

test('[AUDIT-04] the panel type that loses the default mark has an entry, and its resource follows', async () => {
  const [first, second] = [aValue(), aValue()];
  const { body } = await given.panels.create(first, { is_default: 'true' });
  await given.panels.create(second, { is_default: 'true' });
  expect(await given.panels.audits(body.id)).toMatchObject([
    { action: 'create' },
    {
      action: 'update',
      user_id: given.panels.staff.id,
      changes: [{ field: 'is_default', from: true, to: false }],
    },
  ]);
  expect((await given.panels.intents(first)).at(-1)).toMatchObject({ object: { spec: { default: false } } });
});
