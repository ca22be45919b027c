import type { TestUser } from '../../test-support/api.ts';
import { panelTypeTests } from '../../test-support/panel-type-calls.ts';
import { aPanel, aValue, panelFileOf } from '../../test-support/panels.ts';

const given = panelTypeTests();

test('[ROLE-15] [PANEL-13] [PANEL-14] members of an allowed group do while it is active, others do not', async () => {
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

test("[ROLE-07] a group's admin manages those of the group alone", async () => {
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
