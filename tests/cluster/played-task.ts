/**
 * A task on a real server with simulated steps: each pod ends as the test defines for its step and index, and records
 * that it ran. Jobs, pods and failures are handled by Kubernetes itself.
 */
import { execFileSync } from 'node:child_process';
import { constants, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { aSample, aTask, collection } from '../kubernetes-contract/builders.ts';
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';

const PROGRAM = 'played-step.sh';

const STAGES: Record<string, string[]> = {
  secondary: ['reads', 'cohort', 'call'],
  annotation: ['annotation'],
  'post-filter': ['post-filter'],
  qc: ['qc'],
  report: ['report'],
};
/** Steps that run once per sample. */
const BY_SAMPLE = new Set(['reads', 'call']);

export class PlayedTask {
  readonly name: string;
  readonly folder: string;
  readonly #kube: KubeHttp;
  readonly #namespace: string;

  constructor(kube: KubeHttp, namespace: string, name: string) {
    this.name = name;
    this.#kube = kube;
    this.#namespace = namespace;
    // Not below /tmp, because a pod has its own /tmp.
    this.folder = mkdtempSync(`/var/tmp/seqpanel-played-${name}-`);
    // Next to the task's files, because a pod has its own /tmp and this tree may be below the machine's.
    copyFileSync(join(import.meta.dirname, PROGRAM), join(this.folder, PROGRAM));
  }

  get path(): string {
    return `${collection('AnalysisTask', this.#namespace)}/${this.name}`;
  }

  /** Creates a pipeline whose pods follow the files in this task's folder, then the task with samples S1, S2, … */
  async create(samples: number, stages: Record<string, string[]> = STAGES): Promise<void> {
    await this.#kube.create(collection('Pipeline', this.#namespace), {
      apiVersion: 'seqpanel.dev/v1alpha1',
      kind: 'Pipeline',
      metadata: { name: `${this.name}-1.0.0` },
      spec: {
        displayName: 'Played',
        version: '1.0.0',
        stages: Object.entries(stages).map(([stage, steps]) => ({
          name: stage,
          steps: steps.map((step) => ({
            name: step,
            scope: BY_SAMPLE.has(step) ? 'sample' : 'task',
            image: 'seqpanel/pipeline:1.0.0',
            command: ['sh', join(this.folder, PROGRAM), step, this.folder],
            resources: { cpu: '0.1', memory: '16Mi' },
            retries: 1,
          })),
        })),
      },
    });
    const names = Array.from({ length: samples }, (_, i) => `S${i + 1}`);
    const pipeline = { name: `${this.name}-1.0.0`, version: '1.0.0' };
    await this.#kube.create(
      collection('AnalysisTask', this.#namespace),
      aTask(this.name, { pipeline, samples: names.map((sample) => aSample(sample)) }),
    );
  }

  /** Makes pods of a step's completion index end with that exit code and termination message. */
  plan(step: string, index: number, exitCode: number, message: object = { outcome: 'error' }): void {
    writeFileSync(join(this.folder, `${step}.${index}`), `${exitCode}\n${JSON.stringify(message)}\n`);
  }

  /** Makes pods of the step (`reads`), or of one of its indexes (`reads.1`), wait until they are ended or released. */
  hold(step: string): void {
    execFileSync('mkfifo', [join(this.folder, `${step}.hold`)]);
  }

  /** Makes later pods of the step run without waiting. */
  letGo(step: string): void {
    rmSync(join(this.folder, `${step}.hold`));
  }

  /** Releases waiting pods, which read the end of the fifo. */
  async release(step: string): Promise<void> {
    const gate = join(this.folder, `${step}.hold`);
    const file = await eventually(`pods of ${step} at their gate`, () =>
      open(gate, constants.O_WRONLY | constants.O_NONBLOCK),
    );
    this.letGo(step);
    await file.close();
  }

  get = (): Promise<KubeObject> => this.#kube.get(this.path);

  /** Returns `step attempt index samples` (`-` for a task-scoped step), one line for each pod that ended by itself. */
  runs(): string[] {
    const file = join(this.folder, 'runs');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : [];
  }

  async #list(kind: 'jobs' | 'pods'): Promise<KubeObject[]> {
    const group = kind === 'jobs' ? '/apis/batch/v1' : '/api/v1';
    const path = `${group}/namespaces/${this.#namespace}/${kind}?labelSelector=seqpanel.dev%2Ftask%3D${this.name}`;
    return (await this.#kube.get(path)).items;
  }
  jobs = (): Promise<KubeObject[]> => this.#list('jobs');
  pods = (): Promise<KubeObject[]> => this.#list('pods');

  /** Returns the events of the task, as `type reason`. */
  async events(): Promise<string[]> {
    const path = `/api/v1/namespaces/${this.#namespace}/events?fieldSelector=involvedObject.name%3D${this.name}`;
    return (await this.#kube.get(path)).items.map((event: KubeObject) => `${event.type} ${event.reason}`);
  }

  /** Waits until the task is in one of the phases and returns it. */
  async phase(...phases: string[]): Promise<KubeObject> {
    return eventually(
      `task ${this.name} ${phases.join(' or ')}`,
      async () => {
        const task = await this.get();
        return phases.includes(task.status?.phase) && task;
      },
      100,
    );
  }

  /** Waits until `count` pods of a step run. */
  async running(step: string, count: number): Promise<KubeObject[]> {
    return eventually(
      `${count} pods of ${step} running`,
      async () => {
        const pods = (await this.pods()).filter(
          ({ metadata, status }) => metadata.labels['seqpanel.dev/step'] === step && status.phase === 'Running',
        );
        return pods.length === count && pods;
      },
      60,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Creates the claim that step pods mount, and its volume. */
export async function makeStorageClaim(kube: KubeHttp, namespace: string, name = 'seqpanel-storage'): Promise<void> {
  const shared = { accessModes: ['ReadWriteMany'], storageClassName: '', resources: { requests: { storage: '1Gi' } } };
  await kube.create('/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${namespace}-${name}` },
    spec: {
      accessModes: shared.accessModes,
      storageClassName: '',
      capacity: { storage: '1Gi' },
      hostPath: { path: '/nowhere' },
      claimRef: { namespace, name },
    },
  });
  const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  const volumeName = `${namespace}-${name}`;
  await kube.create(claims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { ...shared, volumeName },
  });
  await eventually('claim bound', async () => (await kube.get(`${claims}/${name}`)).status?.phase === 'Bound');
}
