import { ANALYSIS_TASKS, GENOMES, JOBS, PANEL_TYPES, PIPELINES, PODS } from '@seqpanel/crds/kube/objects.ts';
import { findCondition, isTrue } from './kube/conditions.ts';
import { startWorld, type World } from './testing/world.ts';

const SCRIPT = `
step=$1
sample=$(echo "$SEQPANEL_SAMPLES" | cut -d- -f1)
if [ -e "$SEQPANEL_STORAGE/hold" ] && [ "$step" = reads ]; then while [ -e "$SEQPANEL_STORAGE/hold" ]; do read -t 0.02 < <(:) || true; done; fi
if [ "$step" = reads ] && [ "$JOB_COMPLETION_INDEX" = 1 ] && grep -q '"name":"broken"' "$3"; then
  echo "reading B_R1.fastq.gz"; echo "record 7 has no quality" >&2
  say '{"outcome":"bad_input","code":"fastq_truncated","message":"B_R1.fastq.gz: ends in the middle of a record"}'; exit 2
fi
if [ "$step" = cohort ] && grep -q '"name":"hopeless"' "$3"; then
  echo "panel.json is not as it was"
  say '{"outcome":"bad_input","code":"frozen_mismatch","message":"panel.json: sha256 differs"}'; exit 2
fi
if [ "$step" = install-genome ]; then
  say '{"outcome":"done","genome":{"contigs":[["17",81195210,"351f64d4f4f9ddd45b35336ad97aa6de"]],"indexes":[{"tool":"minimap2","version":"2.24","path":"references/g/17.mmi","memoryMiB":300}]}}'; exit 0
fi
if [ "$step" = check-panel ] && grep -q '"value":"Bad"' "$3"; then
  say '{"outcome":"bad_input","code":"panel_invalid","message":"Bad.json: amplicons[3].end: is over the contig"}'; exit 2
fi
`;

let world: World;
beforeAll(async () => {
  world = await startWorld({ script: SCRIPT });
  await world.applyPipeline();
});
afterAll(() => world.stop());

const stepsOf = (task: { status?: { stages?: { steps?: { name: string; state: string; attempt?: number }[] }[] } }) =>
  (task.status?.stages ?? []).flatMap(({ steps }) => steps ?? []);
const jobNames = async (task: string): Promise<string[]> =>
  (await world.jobs()).map(({ metadata }) => metadata.name).filter((name) => name.startsWith(`${task}-`));
const jobsOf = async (task: string) =>
  (await world.jobs()).filter(({ metadata }) => metadata.name.startsWith(`${task}-`));

test('[K8S-16] [K8S-17] [K8S-08] a task goes through its eight steps, one Job each, and its events tell the story', async () => {
  const operator = world.startOperator();
  await world.applyTask('whole', ['A', 'B']);
  const task = await world.untilPhase('whole', 'Completed', 'Failed');
  expect(isTrue(task.status?.conditions, 'Completed')).toBe(true);
  expect(stepsOf(task).map(({ name, state }) => `${name} ${state}`)).toEqual(
    ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'].map(
      (name) => `${name} Succeeded`,
    ),
  );
  expect((await jobNames('whole')).length).toBe(8);
  await operator.stop();
  const story = await world.story('whole');
  expect(story).toContain('Started: 2 samples on Pipeline panel-1.0.0');
  expect(story.filter((line) => line.startsWith('StepSucceeded'))).toHaveLength(8);
  expect(story).toContain('Completed: All 2 samples are done.');
});

test('at most six writes of ours for a step', async () => {
  // Counted in the task of the test before: its status, its Jobs (create, time to live), its events.
  const task = await world.get(ANALYSIS_TASKS, 'whole');
  const writes = (task.status?.revision ?? 0) + 2 * 8 + (await world.story('whole')).length + 1;
  expect(writes / 8).toBeLessThanOrEqual(6);
});

test('[K8S-19] a broken sample fails alone: its reason is in the status and the rest is completed', async () => {
  const operator = world.startOperator();
  await world.applyTask('partial', ['A', 'B', 'C'], { name: 'broken' });
  const { status } = await world.untilPhase('partial', 'Completed', 'Failed');
  expect(status).toMatchObject({
    phase: 'Completed',
    failedSamples: '1',
    samples: { total: 3, incomplete: 1 },
    failures: [
      {
        sample: 'B',
        step: 'reads',
        code: 'fastq_truncated',
        logTail: 'reading B_R1.fastq.gz\nrecord 7 has no quality',
      },
    ],
  });
  const call = (await jobsOf('partial')).find(({ metadata }) => metadata.name === 'partial-call-1');
  expect(call?.spec?.completions).toBe(2);
  await operator.stop();
  expect(await world.story('partial')).toContain(
    'SampleFailed: B failed in reads: B_R1.fastq.gz: ends in the middle of a record (fastq_truncated)',
  );
});

test('[K8S-19] a task-scoped step that fails ends the task Failed, with no later Job', async () => {
  const operator = world.startOperator();
  await world.applyTask('failing', ['A'], { name: 'hopeless' });
  const { status } = await world.untilPhase('failing', 'Completed', 'Failed');
  expect(findCondition(status?.conditions, 'Failed')).toMatchObject({
    status: 'True',
    reason: 'StepFailed',
    message: 'Step cohort failed: panel.json: sha256 differs',
  });
  expect(status?.failures).toEqual([
    {
      step: 'cohort',
      code: 'frozen_mismatch',
      message: 'panel.json: sha256 differs',
      logTail: 'panel.json is not as it was',
    },
  ]);
  const counted = await operator.metrics.failedSteps.get();
  expect(counted.values).toEqual([
    { labels: { stage: 'secondary', step: 'cohort', code: 'frozen_mismatch' }, value: 1 },
  ]);
  expect(await jobNames('failing')).toEqual(['failing-cohort-1', 'failing-reads-1']);
  await operator.stop();
});

test('[K8S-29] an operator that is stopped again and again leaves no Job twice, and the task still completes', async () => {
  await world.applyTask('restarted', ['A', 'B', 'C', 'D']);
  for (const step of ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc']) {
    const operator = world.startOperator();
    await world.until(JOBS, `restarted-${step}-1`, () => true);
    await operator.stop();
  }
  const operator = world.startOperator();
  const task = await world.untilPhase('restarted', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await jobNames('restarted')).toHaveLength(8);
  await operator.stop();
});

test('two operators at once make no Job twice: names are fixed and the status is written under a lock', async () => {
  const both = [world.startOperator(), world.startOperator()];
  const names = ['twice-1', 'twice-2', 'twice-3'];
  for (const name of names) await world.applyTask(name, ['A', 'B']);
  const tasks = await Promise.all(names.map((name) => world.untilPhase(name, 'Completed', 'Failed')));
  for (const task of tasks) {
    expect(task.status?.phase).toBe('Completed');
    expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await jobNames(task.metadata.name)).toHaveLength(8);
  }
  await Promise.all(both.map((operator) => operator.stop()));
  expect((await world.story('twice-1')).filter((line) => line.startsWith('StepSucceeded: reads'))).toHaveLength(1);
});

test('[K8S-29] a control plane that is killed in the middle of a step is waited for, and the task completes', async () => {
  const { writeFileSync, rmSync } = await import('node:fs');
  writeFileSync(`${world.dir}/storage/hold`, '');
  const operator = world.startOperator();
  await world.applyTask('outage', ['A', 'B']);
  await world.untilPhase('outage', 'Running');
  await world.restartPlane();
  rmSync(`${world.dir}/storage/hold`);
  const task = await world.untilPhase('outage', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await jobNames('outage')).toHaveLength(8);
  await operator.stop();
});

test('a Pipeline that is deleted in the middle of a run, with the operator away, changes nothing of the run', async () => {
  const { writeFileSync, rmSync } = await import('node:fs');
  writeFileSync(`${world.dir}/storage/hold`, '');
  const { spec } = await world.get(PIPELINES, 'panel-1.0.0');
  const kind = { apiVersion: 'seqpanel.dev/v1alpha1' as const, kind: 'Pipeline' as const };
  await world.create(PIPELINES, { ...kind, metadata: { name: 'brief-1.0.0' }, spec });
  const first = world.startOperator();
  await world.applyTask('orphan', ['A'], { pipeline: { name: 'brief-1.0.0', version: '1.0.0' } });
  await world.untilPhase('orphan', 'Running');
  await first.stop();
  await world.client.delete(PIPELINES, 'brief-1.0.0', { signal: world.signal, propagation: 'Background' });
  rmSync(`${world.dir}/storage/hold`);
  const second = world.startOperator();
  expect((await world.untilPhase('orphan', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await second.stop();
});

test('a task that is deleted and applied again under its name runs anew', async () => {
  const operator = world.startOperator();
  await world.applyTask('again', ['A']);
  const { metadata } = await world.untilPhase('again', 'Completed', 'Failed');
  await world.client.delete(ANALYSIS_TASKS, 'again', { signal: world.signal, propagation: 'Background' });
  await world.applyTask('again', ['A', 'B']);
  const second = await world.until(
    ANALYSIS_TASKS,
    'again',
    (task) => task.metadata.uid !== metadata.uid && ['Completed', 'Failed'].includes(task.status?.phase ?? ''),
  );
  expect(second.status).toMatchObject({ phase: 'Completed', samples: { total: 2, incomplete: 0 } });
  await operator.stop();
});

test('[K8S-18] abort ends the Job and its pods, then the task is Aborted', async () => {
  const { writeFileSync, rmSync } = await import('node:fs');
  writeFileSync(`${world.dir}/storage/hold`, '');
  const operator = world.startOperator();
  await world.applyTask('aborted', ['A', 'B']);
  await world.untilPhase('aborted', 'Running');
  await world.patch(ANALYSIS_TASKS, 'aborted', { spec: { abort: true } });
  await world.untilPhase('aborted', 'Aborted');
  const pods = (await world.client.list(PODS, { signal: world.signal })).items;
  expect(pods.filter(({ metadata }) => metadata.name.startsWith('aborted-'))).toEqual([]);
  expect(await jobNames('aborted')).toEqual([]);
  rmSync(`${world.dir}/storage/hold`);
  await operator.stop();
});

test('a Job that a person deletes is made again under the next number', async () => {
  const { writeFileSync, rmSync } = await import('node:fs');
  writeFileSync(`${world.dir}/storage/hold`, '');
  const operator = world.startOperator();
  await world.applyTask('deleted', ['A']);
  await world.untilPhase('deleted', 'Running');
  await world.client.delete(JOBS, 'deleted-reads-1', { signal: world.signal, propagation: 'Background' });
  await world.until(JOBS, 'deleted-reads-2', () => true);
  rmSync(`${world.dir}/storage/hold`);
  const task = await world.untilPhase('deleted', 'Completed', 'Failed');
  expect(stepsOf(task)[0]).toMatchObject({ attempt: 2, state: 'Succeeded' });
  await operator.stop();
});

test('a Job of that name that is not ours fails the task and is left alone', async () => {
  await world.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'taken-reads-1' },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } },
    },
  });
  const operator = world.startOperator();
  await world.applyTask('taken', ['A']);
  const { status } = await world.untilPhase('taken', 'Completed', 'Failed');
  expect(findCondition(status?.conditions, 'Failed')).toMatchObject({ status: 'True', reason: 'JobRefused' });
  expect((await world.get(JOBS, 'taken-reads-1')).metadata.ownerReferences).toBeUndefined();
  await operator.stop();
});

test('a task waits for its Pipeline and says so', async () => {
  const operator = world.startOperator();
  await world.applyTask('early', ['A'], { pipeline: { name: 'other-1.0.0', version: '1.0.0' } });
  const waiting = await world.until(ANALYSIS_TASKS, 'early', ({ status }) => status?.conditions !== undefined);
  expect(findCondition(waiting.status?.conditions, 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'PipelineMissing',
  });
  const { spec } = await world.get(PIPELINES, 'panel-1.0.0');
  await world.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'other-1.0.0' },
    spec,
  });
  expect((await world.untilPhase('early', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await operator.stop();
});

const panelType = (name: string, value: string, displayName: string) => ({
  apiVersion: 'seqpanel.dev/v1alpha1' as const,
  kind: 'PanelType' as const,
  metadata: { name },
  spec: {
    displayName,
    value,
    genome: 'g',
    files: { panel: { path: `panels/${value}/${value}.json`, sha256: 'a'.repeat(64) } },
  },
});

test('[K8S-10] [K8S-11] a panel type is Valid by its check and Ready when its genome is', async () => {
  const operator = world.startOperator();
  await world.create(PANEL_TYPES, panelType('good', 'Good', 'Good panel'));
  const early = await world.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Valid'));
  expect(findCondition(early.status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'GenomeMissing' });
  await world.create(GENOMES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Genome',
    metadata: { name: 'g' },
    spec: { displayName: 'G', value: 'g', source: { path: 'uploads/g.fa' } },
  });
  const genome = await world.until(GENOMES, 'g', ({ status }) => isTrue(status?.conditions, 'Ready'));
  expect(genome.status).toMatchObject({
    contigs: [{ name: '17', canonical: '17', aliases: ['chr17'], length: 81195210 }],
    indexes: [{ tool: 'minimap2', memoryMiB: 300 }],
  });
  await world.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Ready'));
  await operator.stop();
});

test('[K8S-10] a panel type whose file is wrong is not Valid, and the condition names what is', async () => {
  const operator = world.startOperator();
  await world.create(PANEL_TYPES, panelType('bad', 'Bad', 'Bad panel'));
  const decided = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
    status?.conditions?.some(({ type, status }) => type === 'Valid' && status === 'False') ?? false;
  const { status } = await world.until(PANEL_TYPES, 'bad', decided);
  expect(findCondition(status?.conditions, 'Valid')).toMatchObject({
    reason: 'PanelInvalid',
    message: 'Bad.json: amplicons[3].end: is over the contig',
  });
  await operator.stop();
});

test('of two panel types with one display name the younger is a Duplicate, until the older is gone', async () => {
  const operator = world.startOperator();
  await world.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Valid'));
  await world.create(PANEL_TYPES, panelType('zz-twin', 'zz_twin', 'Good panel'));
  const twin = await world.until(PANEL_TYPES, 'zz-twin', ({ status }) => status?.conditions !== undefined);
  const older = (await world.get(PANEL_TYPES, 'good')).metadata;
  const isYounger =
    older.creationTimestamp < twin.metadata.creationTimestamp ||
    (older.creationTimestamp === twin.metadata.creationTimestamp && older.uid < twin.metadata.uid);
  const [first, second] = isYounger ? ['good', 'zz-twin'] : ['zz-twin', 'good'];
  const duplicate = await world.until(
    PANEL_TYPES,
    second as string,
    ({ status }) => findCondition(status?.conditions, 'Valid')?.reason === 'Duplicate',
  );
  expect(findCondition(duplicate.status?.conditions, 'Valid')?.status).toBe('False');
  await world.client.delete(PANEL_TYPES, first as string, { signal: world.signal, propagation: 'Background' });
  await world.until(PANEL_TYPES, second as string, ({ status }) => isTrue(status?.conditions, 'Valid'));
  await operator.stop();
});

test('[K8S-13] applying a Pipeline installs it, and one with an image of another registry is not Valid', async () => {
  const operator = world.startOperator();
  const shipped = await world.until(PIPELINES, 'panel-1.0.0', ({ status }) => isTrue(status?.conditions, 'Valid'));
  expect(isTrue(shipped.status?.conditions, 'Installed')).toBe(true);
  const spec = structuredClone(shipped.spec);
  for (const stage of spec.stages) for (const step of stage.steps) step.image = 'example.org/evil:1';
  await world.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'foreign-1.0.0' },
    spec,
  });
  const foreign = await world.until(PIPELINES, 'foreign-1.0.0', ({ status }) => status?.conditions !== undefined);
  expect(findCondition(foreign.status?.conditions, 'Valid')).toMatchObject({
    status: 'False',
    reason: 'ImageNotAllowed',
  });
  await operator.stop();
});
