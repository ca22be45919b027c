import { completedTask } from '../../test-support/completed-task.ts';
import { ingestTask } from './ingest-task.ts';

const given = completedTask();

test("[K8S-27] a second ingest changes nothing, and another fingerprint replaces the sample's rows", async () => {
  const { id, get } = given.task;
  const deps = { db: given.api.deps.db, storageDir: given.api.storageDir, now: given.api.deps.now };
  const before = await given.api.deps.db('ingest').where({ task_id: id }).orderBy('part');
  await Promise.all([ingestTask(deps, id), ingestTask(deps, id)]);
  expect(await given.api.deps.db('ingest').where({ task_id: id }).orderBy('part')).toEqual(before);
  await given.api.deps.db('ingest').where({ task_id: id, part: 'variants:S1' }).update({ fingerprint: 'older' });
  await ingestTask(deps, id);
  expect((await get('/variants?show=all&sample=S1')).body.count).toBe(3);
});
