/** A task of a group's own Pipeline with unknown step names. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AnalysisTask, type AnalysisTaskStatus, LAUNCH_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { taskDir } from '@seqpanel/crds/storage.ts';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { trimForCache } from '../background/mirror/cached-task.ts';
import { mirrorTask } from '../background/mirror/mirror-task.ts';

let api: TestApi;
let lab: Laboratory;
let staff: TestUser;
let id: string;
let revision = 0;

beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  staff = await api.addUser({ staff: true });
  id = await lab.launch(['S1', 'S2']);
  const write = (path: string, content: string): void => {
    const file = join(api.storageDir, taskDir(id), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const result = (step: string) =>
    JSON.stringify({ step, outputs: [], tools: [{ name: `${step}er`, version: '2.0' }] });
  write('logs/prepare.log', 'ready\n');
  // `map`, `map-back` and a sample's name have the same prefix.
  for (const name of ['map-S1', 'map-S2', 'map-back-S1']) write(`logs/${name}.log`, `${name}\n`);
  write('prepare/result.json', result('prepare'));
  write('samples/S1/map/result.json', result('map'));
  write('samples/S1/map-back/result.json', result('map-back'));
});
afterAll(() => api.close());

const get = async (path: string, token = lab.user.token) =>
  (await api.call('GET', `/api/v1/pivat/${path}`, { token })).body;
const samples = (done: number, failed = 0) => ({ samples: { total: 2, done, failed } });

/** Writes a status as the mirror does; the operator writes all steps of the Pipeline, in its order, from the start. */
async function mirrored(status: AnalysisTaskStatus): Promise<void> {
  const { spec, launch_hash: hash } = (await api.deps.db('task').where({ id }).first('spec', 'launch_hash'))!;
  const annotations = { [LAUNCH_ANNOTATION]: hash };
  const metadata = { name: id, uid: id, resourceVersion: '1', annotations };
  revision += 1;
  const task = { kind: 'AnalysisTask', metadata, spec, status: { ...status, revision } };
  const whole = task as unknown as Stored<AnalysisTask>;
  await mirrorTask(api.deps.db, trimForCache(whole), new Date(), async () => whole);
}
const running = (...steps: NonNullable<NonNullable<AnalysisTaskStatus['stages']>[number]['steps']>) => ({
  phase: 'Running' as const,
  stage: 'secondary',
  stages: [{ name: 'secondary' as const, state: 'Running' as const, steps }],
});

test('the done samples are those of the current step, which is named', async () => {
  const progress = () => get(`${lab.group}/tasks/${id}`);
  await mirrored(running({ name: 'prepare', state: 'Running' }, { name: 'map', state: 'Pending' }));
  expect(await progress()).toMatchObject({ step: 'prepare', samples: { total: 2, done: 0, running: 2 } });
  await mirrored(running({ name: 'prepare', state: 'Succeeded' }, { name: 'map', state: 'Running', ...samples(1) }));
  expect(await progress()).toMatchObject({ step: 'map', samples: { total: 2, done: 1, running: 1 } });
});

describe('when a sample has failed', () => {
  beforeAll(async () => {
    const failures = [{ sample: 'S2', step: 'map', code: 'bad_input', message: 'line 7: no reads' }];
    const [started, finished] = ['2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'];
    await mirrored({
      ...running(
        { name: 'prepare', state: 'Succeeded', attempt: 1, started, finished },
        { name: 'map', state: 'Succeeded', attempt: 1, started, finished, reason: 'SamplesFailed', ...samples(1, 1) },
        { name: 'map-back', state: 'Running', attempt: 1, started, samples: { total: 1, done: 0, failed: 0 } },
      ),
      failures,
      failedSamples: '1',
    });
  });

  test('the task and the sample report it', async () => {
    expect(await get(`${lab.group}/tasks/${id}`)).toMatchObject({
      samples: { done: 0, failed: 1, running: 1 },
      failures: [{ sample: 'S2', step: 'map', log: 'map-S2.log' }],
    });
    expect((await get(`${lab.group}/tasks/${id}/samples`)).results).toMatchObject([
      { name: 'S1', state: 'running' },
      { name: 'S2', state: 'failed', failure: { step: 'map', message: 'line 7: no reads' } },
    ]);
  });

  test('each log is listed with its step and sample', async () => {
    const { results } = await get(`${lab.group}/tasks/${id}/logs`);
    expect(results).toMatchObject([
      { name: 'map-S1.log', stage: 'secondary', step: 'map', sample: 'S1' },
      { name: 'map-S2.log', stage: 'secondary', step: 'map', sample: 'S2' },
      { name: 'map-back-S1.log', stage: 'secondary', step: 'map-back', sample: 'S1' },
      { name: 'prepare.log', stage: 'secondary', step: 'prepare', sample: null },
    ]);
  });

  test('a task result of a sample step shows the failed sample; a step of all samples has no choice of samples', async () => {
    const { results } = await get('admin/task_results', staff.token);
    const rowOf = (step: string) =>
      results.find(({ meta }: { meta: { step: string } }) => meta.step === step) as { id: string; result: string };
    expect(rowOf('map').result).toBe(`tasks/${id}/samples/*/map/result.json`);
    expect(rowOf('prepare').result).toBe(`tasks/${id}/prepare/result.json`);
    const detail = (step: string, query = '') => get(`admin/task_results/${rowOf(step).id}${query}`, staff.token);
    expect(await detail('map')).toMatchObject({ sample: 'S2', log: { name: 'map-S2.log' }, result: null });
    expect(await detail('map', '?sample=S1')).toMatchObject({ sample: 'S1', result: { step: 'map' } });
    expect(await detail('prepare')).toMatchObject({ samples: [], sample: null, result: { step: 'prepare' } });
  });

  test('the summary lists the tools of all its steps, in order', async () => {
    const { provenance } = await get(`${lab.group}/tasks/${id}/summary`);
    expect(provenance.tools).toMatchObject([{ name: 'prepareer' }, { name: 'maper' }, { name: 'map-backer' }]);
  });
});
