/** The operator's process on a real control plane: Kubernetes runs its Jobs, and their pods are simulated. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import { type ContractServer, makeNamespace, startRealServer } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { eventually } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { makeStorageClaim, PlayedTask } from './played-task.ts';

const NS = 'seqpanel';
const SKEWED_CLOCK = join(import.meta.dirname, '../faults/cluster/skewed-clock.mjs');
/** Time limit on a busy machine. */
const LIMIT_MS = 180_000;
const MONTH_MS = 31 * 24 * 3600 * 1000;
/** One step per stage, for tests that need no more. */
const SHORT = {
  secondary: ['reads'],
  annotation: ['annotation'],
  'post-filter': ['post-filter'],
  qc: ['qc'],
  report: ['report'],
};

describeOnCluster('the operator on a real control plane', (binaries) => {
  let server: ContractServer;
  let operator: OperatorProcess;
  let kubeconfig: string;
  const courses = new Map<string, Promise<PlayedTask>>();

  /** Starts a task and its intervention. All run in parallel, because each mostly waits for Kubernetes. */
  function start(
    name: string,
    samples: number,
    stages: Record<string, string[]> | undefined,
    prepare?: (task: PlayedTask) => void,
    interfere?: (task: PlayedTask) => Promise<void>,
  ): void {
    const task = new PlayedTask(server.kube, NS, name);
    prepare?.(task);
    const course = (async () => {
      await task.create(samples, stages);
      await interfere?.(task);
      return task;
    })();
    course.catch(() => undefined); // the test that waits for it reports it
    courses.set(name, course);
  }
  const played = (name: string) => courses.get(name)!;
  const deleteJob = (name: string) =>
    server.kube.ok('DELETE', `/apis/batch/v1/namespaces/${NS}/jobs/${name}`, { propagationPolicy: 'Background' });

  async function loseNode(task: PlayedTask): Promise<void> {
    const [pod] = await task.running('reads', 1);
    task.letGo('reads');
    const path = `/api/v1/namespaces/${NS}/pods/${pod.metadata.name}`;
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node lost' };
    const conditions = [...pod.status.conditions, { ...condition, lastTransitionTime: pod.status.startTime }];
    await server.kube.merge(`${path}/status`, { status: { phase: 'Failed', conditions } });
    await server.kube.ok('DELETE', path, { gracePeriodSeconds: 0 });
  }

  async function loseJob(task: PlayedTask): Promise<void> {
    const step = async () => (await task.get()).status?.stages?.[0].steps[0];
    await eventually('one sample recorded as done', async () => (await step())?.samples?.done === 1);
    task.letGo('reads.1');
    await deleteJob('lost-job-reads-1');
  }

  beforeAll(async () => {
    server = await startRealServer(binaries);
    await makeNamespace(server.kube, NS);
    await makeStorageClaim(server.kube, NS);
    kubeconfig = await server.operatorKubeconfig(NS);
    operator = await startOperator(kubeconfig, NS);

    start('whole', 3, undefined);
    start('partial', 3, undefined, (task) =>
      task.plan('reads', 1, 2, { outcome: 'bad_input', code: 'fastq_record_broken', message: 'S2_R1.fastq.gz line 7' }),
    );
    start('cohort-fails', 2, undefined, (task) =>
      task.plan('cohort', 0, 2, { outcome: 'bad_input', code: 'control_unreadable', message: 'control.txt line 3' }),
    );
    start('none-left', 2, SHORT, (task) => {
      for (const i of [0, 1]) task.plan('reads', i, 2, { outcome: 'bad_input', code: 'not_gzip', message: 'cut' });
    });
    const holdReads = (task: PlayedTask) => task.hold('reads');
    start('aborted', 3, SHORT, holdReads, async (task) => {
      await task.running('reads', 3);
      await server.kube.merge(task.path, { spec: { abort: true } });
    });
    start('lost-job', 2, SHORT, (task) => task.hold('reads.1'), loseJob);
    start('disrupted', 1, SHORT, holdReads, loseNode);
    start('deleted', 2, SHORT, holdReads, async (task) => {
      await task.running('reads', 2);
      await server.kube.ok('DELETE', task.path, { propagationPolicy: 'Background' });
    });
    start('killed', 2, SHORT, holdReads);
  }, LIMIT_MS);
  afterAll(async () => {
    await operator?.end();
    await server?.stop();
    for (const course of await Promise.allSettled(courses.values())) {
      if (course.status === 'fulfilled') course.value.remove();
    }
  });

  test('[K8S-20] a pod lost with its node does not count as a failure', async () => {
    const task = await played('disrupted');
    const { status } = await task.phase('Completed', 'Failed');
    expect([status.phase, status.samples.incomplete]).toEqual(['Completed', 0]);
    expect(status.stages[0].steps[0].attempt).toBe(1);
  });

  test('[K8S-16] [K8S-17] three samples go through all stages in order, with one Job per step, to Completed', async () => {
    const task = await played('whole');
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Completed');
    expect(status.samples).toEqual({ total: 3, incomplete: 0 });
    const steps = status.stages.flatMap(
      (stage: { steps: { name: string; state: string; job: string; attempt: number }[] }) => stage.steps,
    );
    expect(steps.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`)).toEqual(
      ['reads', 'cohort', 'call', 'annotation', 'post-filter', 'qc', 'report'].map((step) => `${step} Succeeded`),
    );
    expect(task.runs()).toEqual(
      [
        ...[0, 1, 2].flatMap((index) => [`call 1 ${index} 0-2`, `reads 1 ${index} 0-2`]),
        ...['annotation', 'cohort', 'post-filter', 'qc', 'report'].map((step) => `${step} 1 0 -`),
      ].sort(),
    );
    const jobs = await task.jobs();
    const names = steps.map(({ job }: { job: string }) => job);
    expect(jobs.map(({ metadata }) => metadata.name).sort()).toEqual(names.sort());
    for (const job of jobs) {
      expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'AnalysisTask', name: 'whole', controller: true }]);
      expect(job.spec.completionMode).toBe('Indexed');
      expect(job.spec.activeDeadlineSeconds).toBeUndefined();
    }
    const completed = status.conditions.find(({ type }: { type: string }) => type === 'Completed');
    expect(completed).toMatchObject({ status: 'True', observedGeneration: 1 });
  });

  test('[K8S-19] [K8S-20] a sample with bad input fails alone: it is recorded in failures and left out of later Jobs', async () => {
    const task = await played('partial');
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Completed');
    expect(status.samples).toEqual({ total: 3, incomplete: 1 });
    expect(status.failedSamples).toBe('1');
    expect(status.failures).toEqual([
      expect.objectContaining({
        sample: 'S2',
        step: 'reads',
        code: 'fastq_record_broken',
        message: 'S2_R1.fastq.gz line 7',
      }),
    ]);
    expect(task.runs().filter((run) => run.startsWith('reads'))).toHaveLength(3);
    expect(task.runs().filter((run) => run.startsWith('call'))).toEqual(['call 1 0 0,2', 'call 1 1 0,2']);
  });

  test('[K8S-19] a task-scoped step that fails permanently fails the task, and no later stage starts', async () => {
    const task = await played('cohort-fails');
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Failed');
    const failed = status.conditions.find(({ type }: { type: string }) => type === 'Failed');
    expect(failed).toMatchObject({ status: 'True' });
    expect(failed.message).toContain('control.txt line 3');
    expect(status.stages.map(({ state }: { state: string }) => state)).toEqual([
      'Failed',
      'Pending',
      'Pending',
      'Pending',
      'Pending',
    ]);
    expect((await task.jobs()).map(({ metadata }) => metadata.name).sort()).toEqual([
      'cohort-fails-cohort-1',
      'cohort-fails-reads-1',
    ]);
  });

  test('[K8S-19] a task without remaining samples fails', async () => {
    const task = await played('none-left');
    const { status } = await task.phase('Completed', 'Failed');
    expect([status.phase, status.samples.incomplete]).toEqual(['Failed', 2]);
  });

  test('[K8S-18] abort ends running pods, and the task is Aborted only when none is left', async () => {
    const task = await played('aborted');
    const { status } = await task.phase('Aborted', 'Completed', 'Failed');
    expect(status.phase).toBe('Aborted');
    expect((await task.pods()).filter(({ status: { phase } }) => phase === 'Running' || phase === 'Pending')).toEqual(
      [],
    );
    expect(task.runs()).toEqual([]);
  });

  test('[K8S-29] a Job deleted by hand is created again under the next number, only for the unfinished samples', async () => {
    const task = await played('lost-job');
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Completed');
    const reads = status.stages[0].steps[0];
    expect([reads.name, reads.attempt, reads.job]).toEqual(['reads', 2, 'lost-job-reads-2']);
    expect(reads.samples).toMatchObject({ total: 2, done: 2, failed: 0 });
    expect(task.runs().filter((run) => run.startsWith('reads'))).toEqual(['reads 1 0 0-1', 'reads 2 0 1']);
  });

  test('deleting a task deletes its Jobs and pods', async () => {
    const task = await played('deleted');
    await eventually(
      'Jobs and pods gone',
      async () => (await task.jobs()).length + (await task.pods()).length === 0,
      60,
    );
  });

  test(
    '[K8S-29] an operator killed during a task continues after its restart without duplicate Jobs',
    async () => {
      const task = await played('killed');
      await task.running('reads', 2);
      await operator.end('SIGKILL');
      const jobs = (await task.jobs()).map(({ metadata }) => metadata.uid);
      operator = await startOperator(kubeconfig, NS);
      await task.release('reads');
      const { status } = await task.phase('Completed', 'Failed');
      expect(status.phase).toBe('Completed');
      expect(task.runs().filter((run) => run.startsWith('reads'))).toHaveLength(2);
      const after = await task.jobs();
      expect(after).toHaveLength(5);
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(jobs));
    },
    LIMIT_MS,
  );

  test(
    'a task whose results are in the database is deleted with its Jobs after its retention time',
    async () => {
      const task = await played('killed');
      await task.phase('Completed', 'Failed');
      await server.kube.merge(task.path, { metadata: { annotations: { [INGESTED_ANNOTATION]: 'as the api says' } } });
      await eventually('it is noted', async () =>
        (await task.get()).status.conditions.some(({ type }: { type: string }) => type === 'Ingested'),
      );
      await operator.end();
      const skew = join(task.folder, 'skew');
      writeFileSync(skew, String(MONTH_MS));
      operator = await startOperator(kubeconfig, NS, {
        NODE_OPTIONS: `--import=${SKEWED_CLOCK}`,
        SEQPANEL_TEST_SKEW_FILE: skew,
      });
      await eventually('it is gone', async () => (await server.kube.call('GET', task.path)).status === 404, 60);
      await eventually('its Jobs are gone', async () => (await task.jobs()).length === 0, 60);
    },
    LIMIT_MS,
  );
});
