import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { findCondition, isTrue } from './kube/conditions.ts';
import { startTestCluster, stepsOf, type TestCluster } from './testing/test-cluster.ts';

const SCRIPT = `
step=$1
[ -z "$SEQPANEL_REQUEST_ID" ] || echo "$step $SEQPANEL_REQUEST_ID" >> "$SEQPANEL_STORAGE/ids"
if [ "$step" = reads ] && [ "$JOB_COMPLETION_INDEX" = 1 ] && grep -q '"name":"broken"' "$3"; then
  echo "reading B_R1.fastq.gz"; echo "record 7 has no quality" >&2
  say '{"outcome":"bad_input","code":"fastq_truncated","message":"B_R1.fastq.gz: ends in the middle of a record"}'; exit 2
fi
if [ "$step" = cohort ] && grep -q '"name":"hopeless"' "$3"; then
  echo "panel.json is not as it was"
  say '{"outcome":"bad_input","code":"frozen_mismatch","message":"panel.json: sha256 differs"}'; exit 2
fi
`;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ script: SCRIPT });
  await cluster.applyPipeline();
});
afterAll(() => cluster.stop());

test('[K8S-16] [K8S-17] [K8S-08] a task goes through its eight steps with one Job each, and its events describe it', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('whole', ['A', 'B']);
  const task = await cluster.untilPhase('whole', 'Completed', 'Failed');
  expect(isTrue(task.status?.conditions, 'Completed')).toBe(true);
  expect(stepsOf(task).map(({ name, state }) => `${name} ${state}`)).toEqual(
    ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'].map(
      (name) => `${name} Succeeded`,
    ),
  );
  expect((await cluster.jobNames('whole')).length).toBe(8);
  await operator.stop();
  const story = await cluster.eventsOf('whole');
  expect(story).toContain('Started: 2 samples on Pipeline panel-1.0.0');
  expect(story.filter((line) => line.startsWith('StepSucceeded'))).toHaveLength(8);
  expect(story).toContain('Completed: All 2 samples are done.');
});

test('the operator sends at most six writes per step', async () => {
  // Counted in the task of the previous test: its status, its Jobs (create, time to live), its events.
  const task = await cluster.get(ANALYSIS_TASKS, 'whole');
  const writes = (task.status?.revision ?? 0) + 2 * 8 + (await cluster.eventsOf('whole')).length + 1;
  expect(writes / 8).toBeLessThanOrEqual(6);
});

test('[K8S-19] an invalid sample fails alone: its reason is in the status and the rest completes', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('partial', ['A', 'B', 'C'], { name: 'broken' });
  const { status } = await cluster.untilPhase('partial', 'Completed', 'Failed');
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
  const call = (await cluster.jobsOf('partial')).find(({ metadata }) => metadata.name === 'partial-call-1');
  expect(call?.spec?.completions).toBe(2);
  await operator.stop();
  expect(await cluster.eventsOf('partial')).toContain(
    'SampleFailed: B failed in reads: B_R1.fastq.gz: ends in the middle of a record (fastq_truncated)',
  );
});

test('[K8S-19] a task-scoped step that fails ends the task Failed, with no later Job', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('failing', ['A'], { name: 'hopeless' });
  const { status } = await cluster.untilPhase('failing', 'Completed', 'Failed');
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
  expect(await cluster.jobNames('failing')).toEqual(['failing-cohort-1', 'failing-reads-1']);
  await operator.stop();
});

test('every step of a task gets the id of the request that launched it', async () => {
  await cluster.applyTask('traced', ['A']);
  const annotations = { 'seqpanel.dev/request-id': 'req-1' };
  await cluster.patch(ANALYSIS_TASKS, 'traced', { metadata: { annotations } });
  const operator = cluster.startOperator();
  await cluster.untilPhase('traced', 'Completed', 'Failed');
  await operator.stop();
  const steps = ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'];
  expect(readFileSync(join(cluster.dir, 'storage/ids'), 'utf8').trim().split('\n')).toEqual(
    steps.map((step) => `${step} req-1`),
  );
  for (const { metadata } of await cluster.jobsOf('traced')) expect(metadata.annotations).toMatchObject(annotations);
});
