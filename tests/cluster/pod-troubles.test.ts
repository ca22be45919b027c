/**
 * Problems of pods on a shared cluster, on a real control plane with Kubernetes' own scheduler, Job controller and
 * admission. The test writes pod statuses like a kubelet.
 */
import { execFileSync } from 'node:child_process';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { aHandPool, HandPlayed, makeHandNode, setNodeReady } from './hand-played.ts';
import { eventually, type KubeObject } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { makeStorageClaim } from './played-task.ts';
import { operatorKubeconfig } from './privileges.ts';

const NS = 'seqpanel';
const KUEUE_NS = 'queued';
const LIMIT_MS = 180_000;
const SETTINGS = {
  SEQPANEL_STUCK_SECONDS: '2',
  SEQPANEL_LOST_POD_SECONDS: '2',
  SEQPANEL_MEMORY_DOUBLINGS: '1',
  SEQPANEL_GROUP_PODS: '4',
  SEQPANEL_WORKERS: 'on',
  SEQPANEL_PIPELINES_DIR: '',
};

describeOnCluster('pods in trouble on a real control plane', (binaries) => {
  let plane: ControlPlane;
  const operators: OperatorProcess[] = [];
  const heartbeats: (() => void)[] = [];

  beforeAll(async () => {
    plane = await startWith(binaries, readDefinitions());
    for (const namespace of [NS, KUEUE_NS]) {
      await makeNamespace(plane.kube, namespace);
      await makeStorageClaim(plane.kube, namespace);
      for (const node of ['steady', 'lost'])
        await plane.kube.create(collection('WorkerPool', namespace), aHandPool(node));
    }
    for (const node of ['steady', 'lost']) heartbeats.push(await makeHandNode(plane.kube, node));
    const operator = async (namespace: string, settings: Record<string, string> = {}) => {
      const kubeconfig = await operatorKubeconfig(plane, namespace, { workers: true });
      operators.push(await startOperator(kubeconfig, namespace, { ...SETTINGS, ...settings }));
    };
    await operator(NS);
    await operator(KUEUE_NS, { SEQPANEL_KUEUE_QUEUE: 'laboratory', SEQPANEL_GROUP_PODS: '1' });
  }, LIMIT_MS);
  afterAll(async () => {
    for (const operator of operators) await operator.end();
    for (const stop of heartbeats) stop();
    await plane?.stop();
  });

  const start = async (name: string, samples = 1, spec: object = {}, step: object = {}, namespace = NS) => {
    const task = new HandPlayed(plane.kube, namespace, name);
    await task.create(samples, { group: name, queue: 'steady', ...spec }, step);
    return task;
  };

  test(
    'an image that cannot be pulled is reported after the set time, and the report is cleared when the pod starts',
    async () => {
      const task = await start('no-image');
      const pod = await task.pod();
      await task.play(pod, 'Pending', {
        waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' },
      });
      const { progressing } = await task.progressing('ImagePullBackOff');
      expect(progressing).toMatchObject({
        status: 'False',
        message: `pod ${pod.metadata.name}: Back-off pulling image "x"`,
      });
      await task.told('ImagePullBackOff', `pod ${pod.metadata.name}: Back-off pulling image "x"`);
      await task.run(pod);
      const { progressing: again } = await task.progressing('Running');
      expect(again.status).toBe('True');
      await task.end(pod, 0, 'Completed', '{"outcome":"done"}');
      await task.job('annotation-1');
    },
    LIMIT_MS,
  );

  test(
    'a pod that fits on no node is reported with the scheduler’s message',
    async () => {
      const task = await start('too-large', 1, {}, { resources: { cpu: '500', memory: '64Mi' } });
      const { progressing, task: stored } = await task.progressing('Unschedulable');
      expect(progressing.message).toContain('Insufficient cpu');
      expect(stored.status.phase).not.toBe('Failed');
    },
    LIMIT_MS,
  );

  test(
    'exit code 137 for memory doubles it in the next attempt, as often as the setting allows, and events report it',
    async () => {
      const task = await start('hungry', 2);
      const memoryOf = async (job: string) => {
        const { resources } = (await task.job(job)).spec.template.spec.containers[0];
        return [resources.requests.memory, resources.limits.memory];
      };
      expect(await memoryOf('reads-1')).toEqual(['64Mi', '64Mi']);
      const good = await task.pod();
      await task.end(good, 0, 'Completed', '{"outcome":"done"}');
      await task.end(await task.pod(), 137, 'OOMKilled');
      expect(await memoryOf('reads-2')).toEqual(['128Mi', '128Mi']);
      const second = await task.job('reads-2');
      expect(second.spec.completions).toBe(1);
      await task.end(await task.pod(), 137, 'OOMKilled', 'loading the index\n');

      await task.job('annotation-1');
      const { status } = await plane.kube.get(task.path);
      expect(status.failures).toEqual([
        {
          sample: 'S2',
          step: 'reads',
          code: 'out_of_memory',
          message: expect.stringContaining('128Mi'),
          logTail: 'loading the index',
        },
      ]);
      const story = execFileSync(plane.kubectl, [
        '--kubeconfig',
        plane.kubeconfig,
        '-n',
        NS,
        'describe',
        'atask',
        task.name,
      ]);
      expect(story.toString()).toMatch(/Log Tail:\s+loading the index/);
      for (const part of ['StepRepeated', 'ran out of 64Mi of memory', 'SampleFailed', 'out_of_memory', 'Started'])
        expect(story.toString()).toContain(part);
    },
    LIMIT_MS,
  );

  test(
    '[K8S-20] a pod that hangs on a lost node is marked as failed: the Job replaces it, and no attempt or sample is lost',
    async () => {
      const task = await start('on-lost-node', 1, { queue: 'lost' });
      const pod = await task.pod();
      expect(pod.spec.nodeName).toBe('lost');
      await task.run(pod);
      await setNodeReady(plane.kube, 'lost', false);
      await plane.kube.ok('DELETE', task.podPath(pod), { gracePeriodSeconds: 1 });
      const other = await eventually(
        'another pod',
        async () => (await task.pods()).find(({ metadata }) => metadata.uid !== pod.metadata.uid),
        60,
      );
      expect(other.metadata.annotations['batch.kubernetes.io/job-completion-index']).toBe('0');
      await task.told('NodeLost', `pod ${pod.metadata.name} was on node lost, which is gone`);
      const { status } = await plane.kube.get(task.path);
      expect(status.stages[0].steps[0]).toMatchObject({ state: 'Running', attempt: 1 });
      expect(status.samples.incomplete).toBe(0);
      await setNodeReady(plane.kube, 'lost', true);
    },
    LIMIT_MS,
  );

  test(
    'the pods of a group stay within its limit: the next task waits with a reason, and gets the places when they are free',
    async () => {
      const parallelism = async (task: HandPlayed) => (await task.job('reads-1')).spec.parallelism;
      const first = await start('limit-1', 6, { group: 'shared' });
      expect(await parallelism(first)).toBe(4);
      const second = await start('limit-2', 6, { group: 'shared' });
      const admitted = await eventually('its condition Admitted', async () =>
        (await plane.kube.get(second.path)).status?.conditions?.find(({ type }: KubeObject) => type === 'Admitted'),
      );
      expect(admitted).toMatchObject({
        status: 'False',
        reason: 'GroupAtLimit',
        message: 'The group is at its limit of 4 running pods. 0 tasks start first, 0 of them from other groups.',
      });
      expect(await second.jobs()).toEqual([]);
      await plane.kube.merge(first.path, { spec: { abort: true } });
      await eventually(
        'its pods gone',
        async () => {
          await first.gone();
          return (await plane.kube.get(first.path)).status.phase === 'Aborted';
        },
        60,
      );
      await eventually('all of it', async () => (await parallelism(second)) === 4, 60);
      await eventually('no more pods than that', async () => (await second.pods()).length === 4);
    },
    LIMIT_MS,
  );

  test(
    'with a Kueue queue the Job is labelled, and the operator does not change its suspend and parallelism',
    async () => {
      const task = await start('queued', 4, {}, {}, KUEUE_NS);
      const job = await task.job('reads-1');
      expect(job.metadata.labels['kueue.x-k8s.io/queue-name']).toBe('laboratory');
      expect([job.spec.parallelism, job.spec.suspend]).toEqual([4, false]);
      const path = `/apis/batch/v1/namespaces/${KUEUE_NS}/jobs/${job.metadata.name}`;
      await plane.kube.merge(path, { spec: { suspend: true, parallelism: 2 } });
      await eventually('its pods are told to end', async () => {
        const pods = await task.pods();
        return pods.length > 0 && pods.every(({ metadata }) => metadata.deletionTimestamp);
      });
      await task.gone();
      await task.progressing('Suspended');
      const held = await plane.kube.get(path);
      expect([held.spec.parallelism, held.spec.suspend]).toEqual([2, true]);
      await plane.kube.merge(path, { spec: { suspend: false } });
      await task.run(await task.pod());
      await task.progressing('Running');
      const admitted = await plane.kube.get(path);
      expect([admitted.spec.parallelism, admitted.spec.suspend]).toEqual([2, false]);
    },
    LIMIT_MS,
  );

  test(
    'a LimitRange of the namespace neither rejects the pods nor changes their limits',
    async () => {
      const ranges = `/api/v1/namespaces/${KUEUE_NS}/limitranges`;
      const limits = [
        {
          type: 'Container',
          default: { cpu: '50m', memory: '32Mi', 'ephemeral-storage': '10Mi' },
          defaultRequest: { cpu: '10m', memory: '16Mi', 'ephemeral-storage': '5Mi' },
          max: { cpu: '2', memory: '1Gi' },
          maxLimitRequestRatio: { cpu: '1', memory: '1' },
        },
      ];
      await plane.kube.create(ranges, {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'small' },
        spec: { limits },
      });
      const resources = { cpu: '1', memory: '256Mi', ephemeralStorage: '1Gi' };
      const task = await start('limited', 1, {}, { resources }, KUEUE_NS);
      const pod: KubeObject = await task.pod();
      const asked = { cpu: '1', memory: '256Mi', 'ephemeral-storage': '1Gi' };
      expect(pod.spec.containers[0].resources).toEqual({ requests: asked, limits: asked });
    },
    LIMIT_MS,
  );

  test(
    'the pods run on the nodes of their queue, have its label and prevent the removal of their node',
    async () => {
      const task = await start('placed');
      const pod = await task.pod();
      expect(pod.spec.nodeName).toBe('steady');
      expect(pod.metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'seqpanel',
        'app.kubernetes.io/component': 'stage',
        'seqpanel.dev/queue': 'steady-queue',
      });
      expect(pod.metadata.annotations).toMatchObject({
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
        'karpenter.sh/do-not-disrupt': 'true',
      });
      expect(pod.spec.volumes.some(({ projected }: KubeObject) => projected)).toBe(false);
    },
    LIMIT_MS,
  );
});
