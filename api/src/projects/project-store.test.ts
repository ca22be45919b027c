import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { listProjects } from './project-store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a project deleted while a list is read is left out of the list', async () => {
  const { db } = api.deps;
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  const [stays, goes] = [randomUUID(), randomUUID()];
  for (const id of [stays, goes])
    await db('project').insert({ id, group_id: group, name: id, owner_id: user.id, created: new Date() });
  let queries = 0;
  // The ids are read by the first query, the counts by the second; the deletion comes between.
  const between = new Proxy(db, {
    apply: (_target, _self, [table]: [string]) => (queries++ === 0 ? db(table) : db(table).whereNot({ 'p.id': goes })),
  }) as Knex;
  const { results } = await listProjects(between, group, {});
  expect(results.map(({ id }) => id)).toEqual([stays]);
});
