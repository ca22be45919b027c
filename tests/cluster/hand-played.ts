/** Tasks whose pods no kubelet runs. The test writes their statuses like a kubelet. */
import { aSample, aTask, collection } from '../kubernetes-contract/builders.ts';
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

/** While a node's Lease is renewed, only the test reports it as not ready. */
const HEARTBEAT_MS = 5_000;

/**
 * Creates a node that exists only as an object, for pods that tolerate the taint of its name. The returned function
 * ends its heartbeats.
 */
export async function makeHandNode(kube: KubeHttp, name: string): Promise<() => void> {
  const taints = [{ key: 'hand', value: name, effect: 'NoSchedule' }];
  const metadata = { name, labels: { hand: name } };
  await kube.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata, spec: { taints } });
  await setNodeReady(kube, name, true);
  const path = `/api/v1/nodes/${name}`;
  await eventually('namespace of the leases', () => kube.get('/api/v1/namespaces/kube-node-lease'));
  await beat(kube, name);
  const timer = setInterval(() => void beat(kube, name).catch(() => undefined), HEARTBEAT_MS);
  await eventually(`node ${name} in use`, async () => (await kube.get(path)).spec.taints.length === 1);
  return () => clearInterval(timer);
}

async function beat(kube: KubeHttp, name: string): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  const patched = await kube.call('PATCH', `${leases}/${name}`, { spec }, 'application/merge-patch+json');
  if (patched.status === 404) await kube.create(leases, { metadata: { name }, spec });
}

export async function setNodeReady(kube: KubeHttp, name: string, ready: boolean): Promise<void> {
  const size = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '1Ti', pods: '100' };
  const condition = { type: 'Ready', status: ready ? 'True' : 'False', reason: 'Tests', message: '' };
  const conditions = [{ ...condition, lastHeartbeatTime: now(), lastTransitionTime: now() }];
  await kube.merge(`/api/v1/nodes/${name}/status`, { status: { capacity: size, allocatable: size, conditions } });
}

/** A WorkerPool that selects a simulated node and scales nothing. */
export const aHandPool = (node: string): KubeObject => ({
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'WorkerPool',
  metadata: { name: node },
  spec: {
    queue: `${node}-queue`,
    instanceType: node,
    min: 0,
    max: 0,
    nodeSelector: { hand: node },
    tolerations: [{ key: 'hand', operator: 'Equal', value: node, effect: 'NoSchedule' }],
    scaleTargetRef: { apiVersion: 'test.seqpanel.dev/v1', kind: 'NodeGroup', name: 'nothing' },
  },
});

export class HandPlayed {
  readonly name: string;
  readonly #kube: KubeHttp;
  readonly #namespace: string;

  constructor(kube: KubeHttp, namespace: string, name: string) {
    this.#kube = kube;
    this.#namespace = namespace;
    this.name = name;
  }

  /** A task of that many samples with one sample step and the later stages. */
  async create(samples: number, spec: object, step: object = {}): Promise<void> {
    const stages = ['secondary', 'annotation', 'post-filter', 'qc', 'report'].map((stage) => ({
      name: stage,
      steps: [
        {
          name: stage === 'secondary' ? 'reads' : stage,
          scope: stage === 'secondary' ? 'sample' : 'task',
          image: 'seqpanel/pipeline:1.0.0',
          command: ['seqpanel-step', stage],
          resources: { cpu: '0.1', memory: '64Mi' },
          retries: 0,
          ...step,
        },
      ],
    }));
    const pipeline = { name: `${this.name}-1.0.0`, version: '1.0.0' };
    await this.#kube.create(collection('Pipeline', this.#namespace), {
      apiVersion: 'seqpanel.dev/v1alpha1',
      kind: 'Pipeline',
      metadata: { name: pipeline.name },
      spec: { displayName: 'By hand', version: '1.0.0', stages },
    });
    const list = Array.from({ length: samples }, (_, i) => aSample(`S${i + 1}`));
    await this.#kube.create(
      collection('AnalysisTask', this.#namespace),
      aTask(this.name, { pipeline, samples: list, ...spec }),
    );
  }

  get path(): string {
    return `${collection('AnalysisTask', this.#namespace)}/${this.name}`;
  }

  async #owned(path: string): Promise<KubeObject[]> {
    return (await this.#kube.get(`${path}?labelSelector=seqpanel.dev%2Ftask%3D${this.name}`)).items;
  }
  jobs = (): Promise<KubeObject[]> => this.#owned(`/apis/batch/v1/namespaces/${this.#namespace}/jobs`);
  pods = (): Promise<KubeObject[]> => this.#owned(`/api/v1/namespaces/${this.#namespace}/pods`);

  job = (step: string): Promise<KubeObject> =>
    eventually(
      `Job ${this.name}-${step}`,
      async () => (await this.jobs()).find(({ metadata }) => metadata.name === `${this.name}-${step}`),
      60,
    );

  /** Returns its next pod that is bound to a node and was not returned before. */
  pod = (): Promise<KubeObject> =>
    eventually(
      `a waiting pod of ${this.name}`,
      async () =>
        (await this.pods()).find(
          ({ metadata, spec, status }) => spec.nodeName && !metadata.deletionTimestamp && status.phase === 'Pending',
        ),
      60,
    );

  podPath = (pod: KubeObject): string => `/api/v1/namespaces/${this.#namespace}/pods/${pod.metadata.name}`;

  /** Writes phase and the state of the container, as `{ waiting: … }`. */
  async play(pod: KubeObject, phase: string, state: object): Promise<void> {
    const container = pod.spec.containers[0];
    const status = { name: container.name, image: container.image, imageID: '', restartCount: 0, ready: false, state };
    await this.#kube.merge(`${this.podPath(pod)}/status`, { status: { phase, containerStatuses: [status] } });
  }

  run = (pod: KubeObject): Promise<void> => this.play(pod, 'Running', { running: { startedAt: now() } });

  end(pod: KubeObject, exitCode: number, reason: string, message = ''): Promise<void> {
    const terminated = { exitCode, reason, message, startedAt: now(), finishedAt: now() };
    return this.play(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated });
  }

  /** Reports every pod that is being deleted as ended, until none is left. */
  gone = (): Promise<true> =>
    eventually(`no pod of ${this.name} being deleted`, async () => {
      const leaving = (await this.pods()).filter(({ metadata }) => metadata.deletionTimestamp);
      for (const pod of leaving) await this.#kube.call('DELETE', this.podPath(pod), { gracePeriodSeconds: 0 });
      return leaving.length === 0;
    });

  /** Returns the task when its condition Progressing has the reason. */
  progressing = (reason: string): Promise<KubeObject> =>
    eventually(
      `${this.name} Progressing for reason ${reason}`,
      async () => {
        const task = await this.#kube.get(this.path);
        const progressing = task.status?.conditions?.find(({ type }: KubeObject) => type === 'Progressing');
        return progressing?.reason === reason && { task, progressing };
      },
      60,
    );

  phase = (phase: string): Promise<KubeObject> =>
    eventually(
      `${this.name} ${phase}`,
      async () => {
        const task = await this.#kube.get(this.path);
        return task.status?.phase === phase && task;
      },
      60,
    );

  /** Waits for an event of the task. Its status may be written earlier. */
  async told(reason: string, message: string): Promise<void> {
    const path = `/api/v1/namespaces/${this.#namespace}/events?fieldSelector=involvedObject.name%3D${this.name}`;
    await eventually(`event ${reason}: ${message}`, async () =>
      (await this.#kube.get(path)).items.some(
        (event: KubeObject) => event.reason === reason && event.message === message,
      ),
    );
  }
}
