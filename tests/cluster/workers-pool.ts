/** A WorkerPool under test, its target, and Jobs whose pods are stage pods of its queue. */
import { aSample, aTask, collection } from '../kubernetes-contract/builders.ts';
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';
import { DEPLOYMENTS, NODE_GROUPS } from './workers-definitions.ts';

export interface PoolUnderTest {
  name: string;
  kind: 'NodeGroup' | 'MachineDeployment';
  spec?: KubeObject;
}

const STAGES = ['secondary', 'annotation', 'post-filter', 'qc', 'report'];
const API_VERSIONS = { NodeGroup: 'test.seqpanel.dev/v1', MachineDeployment: 'cluster.x-k8s.io/v1beta1' };

export class TestPool {
  readonly name: string;
  readonly path: string;
  readonly #kube: KubeHttp;
  readonly #namespace: string;
  readonly #kind: PoolUnderTest['kind'];

  constructor(kube: KubeHttp, namespace: string, { name, kind }: PoolUnderTest) {
    this.name = name;
    this.#kube = kube;
    this.#namespace = namespace;
    this.#kind = kind;
    this.path = `${collection('WorkerPool', namespace)}/${name}`;
  }

  get #targets(): string {
    return this.#kind === 'NodeGroup' ? NODE_GROUPS(this.#namespace) : DEPLOYMENTS(this.#namespace);
  }

  async createTarget(replicas = 0): Promise<void> {
    const labels = { 'test/pool': this.name };
    const template = { metadata: { labels }, spec: { clusterName: 'test' } };
    await this.#kube.create(this.#targets, {
      apiVersion: API_VERSIONS[this.#kind],
      kind: this.#kind,
      metadata: { name: this.name },
      spec:
        this.#kind === 'NodeGroup' ? { replicas, labels } : { clusterName: 'test', replicas, selector: {}, template },
    });
  }

  async create(spec: KubeObject = {}): Promise<void> {
    await this.#kube.create(collection('WorkerPool', this.#namespace), {
      apiVersion: 'seqpanel.dev/v1alpha1',
      kind: 'WorkerPool',
      metadata: { name: this.name },
      spec: {
        queue: this.name,
        instanceType: this.name,
        min: 0,
        max: 4,
        idleSeconds: 2,
        nodeSelector: { 'test/pool': this.name },
        scaleTargetRef: { apiVersion: API_VERSIONS[this.#kind], kind: this.#kind, name: this.name },
        ...spec,
      },
    });
  }

  get = (): Promise<KubeObject> => this.#kube.get(this.path);
  replicas = async (): Promise<number> =>
    (await this.#kube.get(`${this.#targets}/${this.name}/scale`)).spec.replicas ?? 0;
  nodes = async (): Promise<KubeObject[]> =>
    (await this.#kube.get(`/api/v1/nodes?labelSelector=test%2Fpool%3D${this.name}`)).items;

  condition = async (type: string): Promise<KubeObject | undefined> =>
    (await this.get()).status?.conditions?.find((condition: KubeObject) => condition.type === type);

  /** `reason: message`. */
  async events(): Promise<string[]> {
    const path = `/api/v1/namespaces/${this.#namespace}/events?fieldSelector=involvedObject.name%3D${this.name}`;
    return (await this.#kube.get(path)).items.map(({ reason, message }: KubeObject) => `${reason}: ${message}`);
  }

  until = (what: string, holds: (pool: KubeObject) => boolean | Promise<boolean>): Promise<KubeObject> =>
    eventually(
      `pool ${this.name}: ${what}`,
      async () => {
        const pool = await this.get();
        return (await holds(pool)) && pool;
      },
      120,
    );

  /** Creates a Job of stage pods, each of which requests `cores` of a fake node's 64 cores. */
  async launch(name: string, pods: number, cores: number, duration: string): Promise<void> {
    const labels = { 'seqpanel.dev/queue': this.name, 'seqpanel.dev/task': `task-${name}` };
    await this.#kube.create(`/apis/batch/v1/namespaces/${this.#namespace}/jobs`, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: {
        completionMode: 'Indexed',
        completions: pods,
        parallelism: pods,
        template: {
          metadata: { labels, annotations: { 'e2e/duration': duration } },
          spec: {
            restartPolicy: 'Never',
            nodeSelector: { 'test/pool': this.name },
            containers: [{ name: 'step', image: 'none', resources: { requests: { cpu: `${cores}`, memory: '1Gi' } } }],
          },
        },
      },
    });
  }

  async pods(job: string): Promise<KubeObject[]> {
    const selector = encodeURIComponent(`batch.kubernetes.io/job-name=${job}`);
    return (await this.#kube.get(`/api/v1/namespaces/${this.#namespace}/pods?labelSelector=${selector}`)).items;
  }

  /** Waits until all pods of a Job are in that phase. Returns the names of their nodes. */
  phase = (job: string, count: number, phase: string): Promise<string[]> =>
    eventually(
      `${count} pods of ${job} ${phase}`,
      async () => {
        const pods = await this.pods(job);
        const nodes = pods.filter(({ status }) => status.phase === phase).map(({ spec }) => spec.nodeName as string);
        return nodes.length === count && nodes;
      },
      120,
    );
}

/** Creates a task of three samples on that queue, with one step per stage. The pod of a sample fills a fake node. */
export async function launchTask(kube: KubeHttp, namespace: string, name: string): Promise<void> {
  const pipeline = { name: `${name}-1.0.0`, version: '1.0.0' };
  const step = (stage: string) => ({
    name: stage === 'secondary' ? 'reads' : stage,
    scope: stage === 'secondary' ? 'sample' : 'task',
    image: 'seqpanel/pipeline:1.0.0',
    command: ['played'],
    resources: { cpu: stage === 'secondary' ? '60' : '1', memory: '1Gi' },
  });
  await kube.create(collection('Pipeline', namespace), {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: pipeline.name },
    spec: {
      displayName: 'Played',
      version: pipeline.version,
      stages: STAGES.map((stage) => ({ name: stage, steps: [step(stage)] })),
    },
  });
  const samples = ['S1', 'S2', 'S3'].map((sample) => aSample(sample));
  await kube.create(collection('AnalysisTask', namespace), aTask(name, { pipeline, samples, queue: name }));
}
