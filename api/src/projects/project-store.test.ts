import { randomUUID } from 'node:crypto';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { listProjects } from './project-store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a page after the last project is empty and has the number of all; a deleted project counts nowhere', async () => {
  const { db } = api.deps;
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  const add = async (name: string, created: string, deleted: Date | null = null) => {
    const id = randomUUID();
    await db('project').insert({ id, group_id: group, name, owner_id: user.id, created: new Date(created), deleted });
    return id;
  };
  const older = await add('older', '2026-01-01');
  const newer = await add('newer', '2026-01-02');
  await add('deleted', '2026-01-03', new Date());
  const file = { project_id: newer, owner_id: user.id, sha256: '0'.repeat(64), created: new Date() };
  await db('project_file').insert({ ...file, id: randomUUID(), name: 'S1_R1.fastq', type: 'fastq', size: 7 });
  await db('project_file').insert({ ...file, id: randomUUID(), name: 'S1.bam', type: 'bam', size: 5 });
  const { count, results } = await listProjects(db, group, {});
  expect(count).toBe(2);
  expect(results).toMatchObject([
    { id: newer, fastqs: 1, files: 2, size: 12, owner: user.username, group },
    { id: older, fastqs: 0, files: 0, size: 0 },
  ]);
  expect(await listProjects(db, group, { page: 2, page_size: 2 })).toEqual({ count: 2, results: [] });
  expect(await listProjects(db, randomUUID(), {})).toEqual({ count: 0, results: [] });
});
