import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completedTask } from '../../../test-support/completed-task.ts';
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

test('a sample with a bad file does not block the results of the other samples', async () => {
  const { id } = given.task;
  const { db } = given.api.deps;
  const deps = { db, storageDir: given.api.storageDir, now: given.api.deps.now };
  const file = join(given.api.storageDir, 'tasks', id, 'samples/S1/reads/metrics.json');
  const good = readFileSync(file);
  writeFileSync(file, 'not JSON');
  await db('ingest').where({ task_id: id }).whereLike('part', 'reads:%').update({ fingerprint: 'older' });
  await db('task_sample').where({ task_id: id }).update({ metrics_ready: false });
  await expect(ingestTask(deps, id)).rejects.toThrow(/JSON/);
  expect(await db('task_sample').where({ task_id: id }).orderBy('idx').pluck('metrics_ready')).toEqual([false, true]);
  writeFileSync(file, good);
  await ingestTask(deps, id);
});
