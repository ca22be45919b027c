/** The operator's own process on a real control plane: its Jobs are run by Kubernetes, their pods are played. */
import { type ContractServer, makeNamespace, startRealServer } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { eventually } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { makeStorageClaim, PlayedTask } from './played-task.ts';

const NS = 'seqpanel';
/** One step a stage where nothing more is needed. */
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
  /** Made before all tests, so that the tasks go on side by side: each spends most of its time waiting for Kubernetes. */
  const tasks = new Map<string, PlayedTask>();
  const aTaskLike = async (
    name: string,
    samples: number,
    stages?: Record<string, string[]>,
    prepare?: (task: PlayedTask) => void,
  ) => {
    const task = new PlayedTask(server.kube, NS, name);
    tasks.set(name, task);
    prepare?.(task);
    await task.create(samples, stages);
  };

  beforeAll(async () => {
    server = await startRealServer(binaries);
    await makeNamespace(server.kube, NS);
    await makeStorageClaim(server.kube, NS);
    operator = await startOperator(server.kubeconfig, NS);

    await aTaskLike('whole', 3);
    await aTaskLike('partial', 3, undefined, (task) =>
      task.plan('reads', 1, 2, { outcome: 'bad_input', code: 'fastq_record_broken', message: 'S2_R1.fastq.gz line 7' }),
    );
    await aTaskLike('cohort-fails', 2, undefined, (task) =>
      task.plan('cohort', 0, 2, { outcome: 'bad_input', code: 'control_unreadable', message: 'control.txt line 3' }),
    );
    await aTaskLike('none-left', 2, SHORT, (task) => {
      for (const index of [0, 1])
        task.plan('reads', index, 2, { outcome: 'bad_input', code: 'not_gzip', message: 'cut' });
    });
    await aTaskLike('aborted', 3, SHORT, (task) => task.hold('reads'));
    await aTaskLike('lost-job', 2, { ...SHORT, secondary: ['reads', 'cohort'] }, (task) => task.hold('cohort'));
    await aTaskLike('disrupted', 1, SHORT, (task) => task.hold('reads'));
    await aTaskLike('deleted', 2, SHORT, (task) => task.hold('reads'));
    await aTaskLike('killed', 2, SHORT, (task) => task.hold('reads'));
  });
  afterAll(async () => {
    await operator?.end();
    await server?.stop();
    for (const task of tasks.values()) task.remove();
  });

  test('[K8S-20] a pod lost with its node does not count as a failure', async () => {
    const task = tasks.get('disrupted')!;
    const [pod] = await task.running('reads', 1);
    task.letGo('reads');
    const path = `/api/v1/namespaces/${NS}/pods/${pod.metadata.name}`;
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node lost' };
    const conditions = [...pod.status.conditions, { ...condition, lastTransitionTime: pod.status.startTime }];
    await server.kube.merge(`${path}/status`, { status: { phase: 'Failed', conditions } });
    await server.kube.ok('DELETE', path, { gracePeriodSeconds: 0 });
    const { status } = await task.phase('Completed', 'Failed');
    expect([status.phase, status.samples.incomplete]).toEqual(['Completed', 0]);
    expect(status.stages[0].steps[0].attempt).toBe(1);
  });

  test('[K8S-16] [K8S-17] three samples go through all stages in order, one Job a step, to Completed', async () => {
    const task = tasks.get('whole')!;
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
    const order = jobs.sort(
      (a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) || 0,
    );
    expect(new Set(order.map(({ metadata }) => metadata.name))).toEqual(
      new Set(steps.map(({ job }: { job: string }) => job)),
    );
    for (const job of jobs) {
      expect(job.metadata.ownerReferences).toMatchObject([{ kind: 'AnalysisTask', name: 'whole', controller: true }]);
      expect(job.spec.completionMode).toBe('Indexed');
      expect(job.spec.activeDeadlineSeconds).toBeUndefined();
    }
    const completed = status.conditions.find(({ type }: { type: string }) => type === 'Completed');
    expect(completed).toMatchObject({ status: 'True', observedGeneration: 1 });
  });

  test('[K8S-19] [K8S-20] a sample whose input is bad fails alone: told in failures, left out of later Jobs', async () => {
    const task = tasks.get('partial')!;
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

  test('[K8S-19] a step of the whole task that fails for good fails the task, and no later stage starts', async () => {
    const task = tasks.get('cohort-fails')!;
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

  test('[K8S-19] a task of which no sample is left fails', async () => {
    const task = tasks.get('none-left')!;
    const { status } = await task.phase('Completed', 'Failed');
    expect([status.phase, status.samples.incomplete]).toEqual(['Failed', 2]);
  });

  test('[K8S-18] abort ends running pods and leads to Aborted only when none is left', async () => {
    const task = tasks.get('aborted')!;
    await task.running('reads', 3);
    await server.kube.merge(task.path, { spec: { abort: true } });
    const { status } = await task.phase('Aborted', 'Completed', 'Failed');
    expect(status.phase).toBe('Aborted');
    expect((await task.pods()).filter(({ status: { phase } }) => phase === 'Running' || phase === 'Pending')).toEqual(
      [],
    );
    expect(task.runs()).toEqual([]);
  });

  test('[K8S-29] a Job deleted by hand is made again under the next number, for the unfinished samples alone', async () => {
    const task = tasks.get('lost-job')!;
    await task.running('cohort', 1);
    task.letGo('cohort');
    await server.kube.ok('DELETE', `/apis/batch/v1/namespaces/${NS}/jobs/lost-job-cohort-1`, {
      propagationPolicy: 'Background',
    });
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Completed');
    const cohort = status.stages[0].steps[1];
    expect([cohort.name, cohort.attempt, cohort.job]).toEqual(['cohort', 2, 'lost-job-cohort-2']);
    expect(task.runs().filter((run) => run.startsWith('cohort'))).toEqual(['cohort 2 0 -']);
    expect(task.runs().filter((run) => run.startsWith('reads'))).toHaveLength(2);
  });

  test('a deleted task takes its Jobs and pods with it', async () => {
    const task = tasks.get('deleted')!;
    await task.running('reads', 2);
    await server.kube.ok('DELETE', task.path, { propagationPolicy: 'Background' });
    await eventually(
      'Jobs and pods gone',
      async () => (await task.jobs()).length + (await task.pods()).length === 0,
      60,
    );
  });

  test('[K8S-29] an operator killed in mid-task goes on where it was after its restart, with no Job twice', async () => {
    const task = tasks.get('killed')!;
    await task.running('reads', 2);
    await operator.end('SIGKILL');
    const jobs = (await task.jobs()).map(({ metadata }) => metadata.uid);
    operator = await startOperator(server.kubeconfig, NS);
    await task.release('reads');
    const { status } = await task.phase('Completed', 'Failed');
    expect(status.phase).toBe('Completed');
    expect(task.runs().filter((run) => run.startsWith('reads'))).toHaveLength(2);
    const after = await task.jobs();
    expect(after).toHaveLength(5);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(jobs));
  });
});
