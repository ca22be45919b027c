import { startApi, type TestApi } from '../../test-support/api.ts';
import { aCompletedTask, type CompletedTask } from '../../test-support/completed-task.ts';
import { ingestTask } from './ingest-task.ts';

let api: TestApi;
let task: CompletedTask;
beforeAll(async () => {
  api = await startApi();
  task = await aCompletedTask(api);
});
afterAll(() => api.close());

test("[K8S-27] a second ingest changes nothing, and another fingerprint replaces the sample's rows", async () => {
  const { id, get } = task;
  const deps = { db: api.deps.db, storageDir: api.storageDir, now: api.deps.now };
  const before = await api.deps.db('ingest').where({ task_id: id }).orderBy('part');
  await Promise.all([ingestTask(deps, id), ingestTask(deps, id)]);
  expect(await api.deps.db('ingest').where({ task_id: id }).orderBy('part')).toEqual(before);
  await api.deps.db('ingest').where({ task_id: id, part: 'variants:S1' }).update({ fingerprint: 'older' });
  await ingestTask(deps, id);
  expect((await get('/variants?show=all&sample=S1')).body.count).toBe(3);
});
