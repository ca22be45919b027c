import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnalysisTask, type AnalysisTaskStatus, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { startApi, type TestApi } from '../../../test-support/api.ts';
import { aTaskRow } from '../../../test-support/task-row.ts';
import { trimForCache } from './cached-task.ts';
import { mirrorTask, tasksUpToDate } from './mirror-task.ts';
import { missingTasks, settleVanished } from './vanished.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const aTask = (
  name: string,
  more: { uid?: string; hash?: string; revision?: number; spec?: object; phase?: string } = {},
) =>
  ({
    metadata: {
      name,
      uid: more.uid ?? randomUUID(),
      resourceVersion: '1',
      creationTimestamp: '2026-11-22T00:00:00Z',
      annotations: { ...(more.hash && { [LAUNCH_ANNOTATION]: more.hash }), other: 'x'.repeat(1000) },
    },
    spec: {
      name: 'by hand',
      source: 'fq',
      panelType: { name: 'p', sha256: '0' },
      preset: { name: 'd', sha256: '0' },
      pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
      samples: [{ name: 'S1', libraryId: 'S1', files: [{ name: 'S1_R1.fastq' }] }],
      ...more.spec,
    },
    status: { phase: more.phase ?? 'Running', revision: more.revision ?? 1 } as AnalysisTaskStatus,
  }) as unknown as Stored<AnalysisTask>;

const mirrored = (task: Stored<AnalysisTask>) =>
  mirrorTask(api.deps.db, trimForCache(task), new Date(), async () => task);
const rowOf = (id: string) => api.deps.db('task').where({ id }).first();

test('a task is trimmed to its metadata, status, number of samples and the annotations in use', () => {
  const samples = Array.from({ length: 384 }, (_, i) => ({ name: `S${i}`, libraryId: 'L'.repeat(100), files: [] }));
  const kept = trimForCache(aTask('a', { hash: 'h', spec: { samples } }));
  expect(kept).toMatchObject({ samples: 384, metadata: { annotations: { [LAUNCH_ANNOTATION]: 'h' } } });
  expect(JSON.stringify(kept).length).toBeLessThan(400);
});

describe('a task made with kubectl', () => {
  test('has a row by its uid when its name is no UUID, with group and user where they exist', async () => {
    const group = await api.addGroup();
    const user = await api.addUser({ groups: { [group]: 'member' } });
    const task = aTask('plate-7', { spec: { group, requestedBy: user.username } });
    expect(await mirrored(task)).toBe('written');
    expect(await rowOf(task.metadata.uid)).toMatchObject({
      resource_name: 'plate-7',
      external: true,
      group_id: group,
      username: user.username,
      status: 'running',
    });
    const staff = await api.addUser({ staff: true });
    const listed = await api.call('GET', '/api/v1/pivat/admin/tasks?q=by+hand', { token: staff.token });
    expect(listed.body.results).toMatchObject([{ id: task.metadata.uid, external: true }]);
    expect(await api.deps.db('ingest_turn').where({ task_id: task.metadata.uid })).toHaveLength(1);
  });

  test.each(['00000000-0000-0000-0000-000000000000', '22222222-2222-2222-2222-222222222222'])(
    '[API-07] named as the special id %s has a row by its uid, also after a change',
    async (name) => {
      const task = aTask(name);
      expect(await mirrored(task)).toBe('written');
      expect(await mirrored(aTask(name, { uid: task.metadata.uid, revision: 2, phase: 'Failed' }))).toBe('written');
      expect(await rowOf(task.metadata.uid)).toMatchObject({ resource_name: name, status: 'failed' });
      expect(await rowOf(name)).toBeUndefined();
    },
  );

  test('shows the files of its folder, which has the name of its resource', async () => {
    const group = await api.addGroup();
    const user = await api.addUser({ groups: { [group]: 'member' } });
    const task = aTask('plate-8', { spec: { group } });
    await mirrored(task);
    mkdirSync(join(api.storageDir, 'tasks/plate-8/qc'), { recursive: true });
    writeFileSync(join(api.storageDir, 'tasks/plate-8/qc/summary.json'), '{}');
    const path = `/api/v1/pivat/${group}/tasks/${task.metadata.uid}`;
    const { body } = await api.call('GET', `${path}/output`, { token: user.token });
    expect(body.results.map((file: { path: string }) => file.path)).toEqual(['qc/summary.json']);
    expect((await api.call('GET', path, { token: user.token })).body.folder_name).toBe('plate-8');
  });

  test('has a definition with type and role of its samples, and with the reads of their files', async () => {
    const group = await api.addGroup();
    const user = await api.addUser({ groups: { [group]: 'member' } });
    const files = [{ name: 'T_R1.fastq' }, { name: 'x.fastq', read: 'R2', lane: 'L001' }];
    const sample = { name: 'T', libraryId: 'L', qcType: 'PosCtrl', role: 'control', cnvNormal: true, files };
    const task = aTask('plate-9', { spec: { group, samples: [sample] } });
    await mirrored(task);
    const path = `/api/v1/pivat/${group}/task-rerun/${task.metadata.uid}`;
    const { body } = await api.call('GET', path, { token: user.token });
    expect(body.definition.samples).toEqual([
      {
        name: 'T',
        library_id: 'L',
        qc_type: 'PosCtrl',
        role: 'control',
        cnv_normal: true,
        tumor_content: null,
        skipped: false,
        files: [
          { name: 'T_R1.fastq', read: null, lane: null },
          { name: 'x.fastq', read: 'R2', lane: 'L001' },
        ],
      },
    ]);
    expect(await api.deps.db('task_sample').where({ task_id: task.metadata.uid }).first()).toMatchObject({
      role: 'control',
      files: [{ name: 'T_R1.fastq', lane: null }, { read: 'R2' }],
    });
  });

  test('loses claims to a group that does not exist and to a user who is not its member', async () => {
    const group = await api.addGroup();
    const stranger = await api.addUser({ groups: { [await api.addGroup()]: 'member' } });
    const nowhere = aTask('nowhere', { spec: { group: randomUUID(), requestedBy: stranger.username } });
    const foreign = aTask('foreign', { spec: { group, requestedBy: stranger.username } });
    await mirrored(nowhere);
    await mirrored(foreign);
    expect(await rowOf(nowhere.metadata.uid)).toMatchObject({ group_id: null, user_id: null, username: null });
    expect(await rowOf(foreign.metadata.uid)).toMatchObject({ group_id: group, user_id: null, username: null });
  });
});

describe('a resource of a row with another uid', () => {
  const aRow = async (more: object) => {
    const id = randomUUID();
    const uid = randomUUID();
    await api.deps
      .db('task')
      .insert(aTaskRow(id, { uid, created: new Date(), launch_hash: 'h', revision: 5, ...more }));
    return { id, uid };
  };

  test('does not touch the status of a finished task, and leaves one audit entry', async () => {
    const { id, uid } = await aRow({ status: 'completed', ingested: 'x' });
    const again = aTask(id, { hash: 'h', revision: 99, phase: 'Failed' });
    expect([await mirrored(again), await mirrored(again)]).toEqual(['foreign', 'foreign']);
    expect(await rowOf(id)).toMatchObject({ status: 'completed', revision: 5, uid });
    expect(await api.deps.db('audit_log').where({ resource_id: id })).toMatchObject([
      { username: 'kubectl', changes: [{ field: 'resource_uid', from: uid, to: again.metadata.uid }] },
    ]);
  });

  test('belongs to the task when a backup recreated it while the task was unfinished', async () => {
    const { id } = await aRow({ status: 'running' });
    const again = aTask(id, { hash: 'h', revision: 1 });
    expect(await mirrored(again)).toBe('written');
    expect(await rowOf(id)).toMatchObject({ uid: again.metadata.uid, revision: 1 });
  });

  test('that is not from the launch of an unfinished task ends the task as if it had no resource', async () => {
    const { id } = await aRow({ status: 'running' });
    const other = aTask(id, { hash: 'other' });
    expect(await mirrored(other)).toBe('foreign');
    expect(await missingTasks(api.deps.db, new Map([[id, other.metadata.uid]]))).toContain(id);
    const deps = {
      db: api.deps.db,
      storageDir: api.storageDir,
      now: () => new Date(),
      kube: { get: async () => other },
    };
    expect(await settleVanished(deps as never, id, new AbortController().signal)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: 'aborted', reason: 'ResourceDeleted' });
  });
});

test('tasks whose status is in their rows are found in one query', async () => {
  const [old, current] = [aTask('old-one'), aTask('current-one')];
  await mirrored(old);
  await mirrored(current);
  const newer = aTask('old-one', { uid: old.metadata.uid, revision: 2 });
  const found = await tasksUpToDate(api.deps.db, [newer, current, aTask('unknown')].map(trimForCache));
  expect([...found]).toEqual([current.metadata.uid]);
});
