import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { INGESTED_ANNOTATION, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { taskDir } from '@seqpanel/crds/storage.ts';
import { CALLS, restOfOutputs } from '../../api/test-support/completed-task.ts';
import { aLaboratory, type Laboratory } from '../../api/test-support/laboratory.ts';
import { taskOutputs } from '../../api/test-support/task-outputs.ts';
import { aStage, eventually, type Stage, signal } from './stage.ts';

let stage: Stage;
let lab: Laboratory;
beforeAll(async () => {
  stage = await aStage(2);
  lab = await aLaboratory(stage.apis[0]!);
});
afterAll(() => stage.close());

const at = '2026-01-01T00:00:00Z';
const base = (path: string): string => `/api/v1/pivat/${lab.group}${path}`;
const get = (path: string, api = 0) => stage.apis[api]!.call('GET', base(path), { token: lab.user.token });
const db = () => stage.apis[0]!.deps.db;

async function launched(samples = ['S1', 'S2'], name = 'run-1'): Promise<string> {
  const id = await lab.launch(samples, { name });
  await eventually(() => stage.resource(id));
  return id;
}

const running = (revision: number, more: Partial<AnalysisTaskStatus> = {}): AnalysisTaskStatus => ({
  phase: 'Running',
  revision,
  stage: 'secondary',
  started: at,
  samples: { total: 2, incomplete: 0 },
  stages: [
    {
      name: 'secondary',
      state: 'Running',
      started: at,
      steps: [
        {
          name: 'reads',
          state: 'Running',
          attempt: 1,
          started: at,
          samples: { total: 2, failed: 0, ...(revision > 1 ? { done: 1, finished: '0' } : { done: 0 }) },
        },
        { name: 'cohort', state: 'Pending' },
      ],
    },
  ],
  ...more,
});

describe('the life of a task between the api and the cluster', () => {
  test('[K8S-26] a launch creates one resource, after its frozen files are on storage', async () => {
    const id = await launched();
    const resource = await stage.resource(id);
    const row = await db()('task').where({ id }).first();
    expect(resource.metadata.annotations?.[LAUNCH_ANNOTATION]).toBe(row!.launch_hash);
    expect(resource.spec).toMatchObject({ name: 'run-1', source: 'fq', samples: [{ name: 'S1' }, { name: 'S2' }] });
    const bytes = readFileSync(join(stage.storageDir, taskDir(id), 'frozen.json'));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(resource.spec.frozen);
    await eventually(
      async () =>
        (
          await db()('outbox')
            .where({ object: `AnalysisTask/${id}` })
            .first()
        )?.state,
      (state) => state === 'done',
    );
  });

  test('[K8S-27] [TASK-03] the status is mirrored in order; results are shown as they are ingested, once', async () => {
    const id = await launched(['S1', 'S2'], 'life');
    const outputs = taskOutputs(stage.storageDir, id);
    await stage.status(id, running(3));
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      (task) => task.status === 'running' && task.samples.done === 1,
    );
    await stage.status(id, { ...running(2), phase: 'Queued' });

    outputs.reads('S1', [100, 300]);
    await stage.status(id, running(4));
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      (task) => task.ingested.metrics === 1,
    );
    const depths = await fetch(new URL(base(`/tasks/${id}/depth-matrix`), stage.apis[0]!.url), {
      headers: { authorization: `Bearer ${lab.user.token}` },
    });
    expect([depths.headers.get('x-samples'), depths.headers.get('x-amplicons')]).toEqual(['2', '2']);
    expect([...new Uint32Array(await depths.arrayBuffer())]).toEqual([100, 300, 0xffffffff, 0xffffffff]);
    expect((await get(`/tasks/${id}`)).body.status).toBe('running');

    restOfOutputs(outputs);
    await stage.status(id, {
      phase: 'Completed',
      revision: 9,
      stage: 'report',
      started: at,
      finished: '2026-01-01T00:10:00Z',
      samples: { total: 2, incomplete: 0 },
      stages: [],
    });
    const task = await eventually(
      async () => (await get(`/tasks/${id}`, 1)).body,
      (body) => body.status === 'completed',
    );
    expect(task).toMatchObject({
      finished: '2026-01-01T00:10:00.000Z',
      duration_seconds: 600,
      qc: { pass: 1, warn: 0, fail: 1 },
      ingested: { metrics: 2, variants: 2, qc: true },
    });
    await eventually(
      async () => (await stage.resource(id)).metadata.annotations?.[INGESTED_ANNOTATION],
      (value) => value !== undefined,
    );

    const parts = await db()('ingest').where({ task_id: id }).select('part');
    expect(parts.map(({ part }) => part).sort()).toEqual([
      'annotation',
      'qc',
      'reads:S1',
      'reads:S2',
      'variants:S1',
      'variants:S2',
    ]);
    expect(await db()('call').where({ task_id: id })).toHaveLength(4);
    const observed = db()('observed_allele as o').join('observed_specimen as s', 's.id', 'o.specimen_id');
    expect(await observed.where({ group_id: lab.group })).toHaveLength(3);
  });

  test('[TASK-12] [API-59] abort of a running task is written to its resource', async () => {
    const id = await launched(['S1'], 'to-abort');
    await stage.status(id, running(1));
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'running',
    );
    const { status } = await stage.apis[1]!.call('POST', base(`/tasks/${id}/abort`), { token: lab.user.token });
    expect(status).toBe(200);
    await eventually(
      async () => (await stage.resource(id)).spec.abort,
      (abort) => abort === true,
    );
    await stage.status(id, { phase: 'Aborted', revision: 2, finished: at });
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      (task) => task.status === 'aborted',
    );
  });

  test('deleting a resource aborts its task with the reason ResourceDeleted', async () => {
    const id = await launched(['S1'], 'vanishing');
    await stage.status(id, running(1));
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'running',
    );
    await stage.kube.delete(ANALYSIS_TASKS, id, { signal, propagation: 'Background' });
    const task = await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'aborted',
    );
    expect(task.reason).toBe('ResourceDeleted');
  });

  test('a task whose resource was deleted after its last step is ingested', async () => {
    const id = await launched(['S1'], 'vanished-late');
    const outputs = taskOutputs(stage.storageDir, id);
    outputs.reads('S1');
    outputs.call('S1', CALLS);
    outputs.annotation(CALLS);
    outputs.postFilter({ S1: CALLS });
    outputs.qc([]);
    outputs.report();
    await stage.status(id, running(1));
    await stage.kube.delete(ANALYSIS_TASKS, id, { signal, propagation: 'Background' });
    await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'completed',
    );
    expect(await db()('call').where({ task_id: id })).toHaveLength(3);
  });

  test('a task made with kubectl gets a row, marked external', async () => {
    const id = '6f1c2c4e-0000-4000-8000-000000000001';
    const first = await db()('task').where({ name: 'run-1' }).first();
    await stage.kube.create(
      ANALYSIS_TASKS,
      {
        apiVersion: 'seqpanel.dev/v1alpha1',
        kind: 'AnalysisTask',
        metadata: { name: id },
        spec: { ...first!.spec, name: 'by-hand' },
      },
      { signal },
    );
    const task = await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'queued',
    );
    expect(task).toMatchObject({ external: true, name: 'by-hand', can_rerun: false });
  });

  test('a task whose name another object uses fails with the reason', async () => {
    const api = stage.apis[0]!;
    const id = await launched(['S1'], 'twice');
    await api.deps.db('task').where({ id }).update({ status: 'queued', launch_hash: 'other', revision: -1 });
    await api.deps.db('outbox').insert({
      object: `AnalysisTask/${id}`,
      intent: JSON.stringify({ type: 'launch', task: id }),
      created: new Date(),
      next_try: new Date(),
    });
    await api.deps.db.raw("SELECT pg_notify('seqpanel_outbox', '')");
    const task = await eventually(
      async () => (await get(`/tasks/${id}`)).body,
      ({ status }) => status === 'failed',
    );
    expect(task.reason).toMatch(/exists already/);
  });

  test('with two apis and many launches, each task becomes one resource in one dispatch', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, i) => launched(['S1'], `many-${i}`)));
    const rows = await db()('outbox').whereIn(
      'object',
      ids.map((id) => `AnalysisTask/${id}`),
    );
    await eventually(
      async () => db()('outbox').where({ state: 'pending' }),
      (pending) => pending.length === 0,
    );
    expect(rows).toHaveLength(12);
    expect(
      (
        await db()('outbox').whereIn(
          'id',
          rows.map(({ id }) => id),
        )
      ).map(({ attempts }) => attempts),
    ).toEqual(Array(12).fill(1));
    for (const id of ids) expect(existsSync(join(stage.storageDir, taskDir(id), 'frozen.json'))).toBe(true);
  });
});
