/**
 * One Job in its own namespace. Its pods wait at gates and end with the exit code that the case writes there, so a
 * case decides the order of events on any server.
 */
import { constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type KubeHttp, type KubeObject, type WatchEvent } from '../../cluster/kube-http.ts';
import { type JobState, jobStateOf, podStatesOf } from './job-state.ts';

/** Placeholders in manifests and recordings, for the folder of the gates and the script below. */
const GATES = '$GATES';
const SCRIPT = '$WAIT_AT_GATE';

/**
 * Makes the fifo `<index>.<n>`, n counting the pods of one index, and waits for its exit code and termination message
 * to be written there. It does not poll: dozens of pods wait at once on a small machine. SIGTERM ends it, also as the
 * first process of a container, unless pods are set to be stubborn.
 */
const WAIT_AT_GATE = `
i="$JOB_COMPLETION_INDEX"; [ -n "$i" ] || i=0
n=0
while ! mkfifo "$1/$i.$n" 2>/dev/null; do n=$((n+1)); done
if [ -e "$1/stubborn" ]; then trap "" TERM; else trap 'exit 143' TERM; fi
{ read -r code; read -r message; } < "$1/$i.$n"
if [ -n "$message" ]; then printf %s "$message" > "$SEQPANEL_TERMINATION_LOG"; fi
exit "$code"
`;

/** A Job as created by the operator. `spec` and `pod` override fields. */
export function gatedJob(spec: KubeObject = {}, pod: KubeObject = {}): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'job' },
    spec: {
      ...(spec.completionMode === 'NonIndexed' ? {} : { completionMode: 'Indexed', completions: 2, parallelism: 2 }),
      ...spec,
      template: {
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 2,
          containers: [{ name: 'step', image: 'none', command: ['sh', '-c', SCRIPT, 'step', GATES] }],
          ...pod,
        },
      },
    },
  };
}

export class JobStage {
  readonly namespace: string;
  /** Every distinct status of the Job since its creation, from the watch. */
  readonly sequence: Record<string, unknown>[] = [];
  readonly #kube: KubeHttp;
  readonly #gates: string;
  #watches: { stop(): void }[] = [];
  #job: KubeObject | undefined;
  readonly #pods = new Map<string, KubeObject>();
  #lastEvent = Date.now();

  constructor(kube: KubeHttp, namespace: string) {
    this.#kube = kube;
    this.namespace = namespace;
    this.#gates = mkdtempSync(join(tmpdir(), 'seqpanel-gates-'));
  }

  get #jobs(): string {
    return `/apis/batch/v1/namespaces/${this.namespace}/jobs`;
  }
  get #podsPath(): string {
    return `/api/v1/namespaces/${this.namespace}/pods`;
  }

  async open(): Promise<void> {
    await this.#kube.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: this.namespace },
    });
    this.#follow(`${this.#jobs}?watch=true`, ({ type, object }) => {
      this.#job = type === 'DELETED' ? undefined : object;
      const state = jobStateOf(this.#job);
      if (state && JSON.stringify(state) !== JSON.stringify(this.sequence.at(-1))) this.sequence.push(state);
    });
    this.#follow(`${this.#podsPath}?watch=true`, ({ type, object }) => {
      if (type === 'DELETED') this.#pods.delete(object.metadata.uid);
      else this.#pods.set(object.metadata.uid, object);
    });
  }

  #follow(path: string, on: (event: WatchEvent) => void): void {
    const watch = this.#kube.watch(path);
    this.#watches.push(watch);
    void (async () => {
      for await (const event of watch.events) {
        this.#lastEvent = Date.now();
        on(event);
      }
    })().catch(() => undefined);
  }

  state(): JobState {
    return { job: jobStateOf(this.#job), pods: podStatesOf([...this.#pods.values()]) };
  }

  /** Milliseconds since the last event of this namespace's Jobs and pods. */
  quietFor(): number {
    return Date.now() - this.#lastEvent;
  }

  async create(job: KubeObject): Promise<void> {
    const text = JSON.stringify(job)
      .replace(JSON.stringify(GATES), () => JSON.stringify(this.#gates))
      .replace(JSON.stringify(SCRIPT), () => JSON.stringify(WAIT_AT_GATE));
    // A namespace's service account is created a moment later, and pods are rejected until then.
    await eventually(
      'Job accepted',
      async () => (await this.#kube.call('POST', this.#jobs, JSON.parse(text))).status === 201,
    );
  }

  /** Ends a pod of an index when it has reached its gate. `n` counts the pods of that index from 0. */
  async finish(index: number, exitCode = 0, n = 0, message = ''): Promise<void> {
    const gate = join(this.#gates, `${index}.${n}`);
    const file = await eventually(
      `pod ${n} of index ${index} at its gate`,
      () => open(gate, constants.O_WRONLY | constants.O_NONBLOCK), // rejected while there is no reader
    );
    await file.writeFile(`${exitCode}\n${message}\n`);
    await file.close();
  }

  /** Makes pods ignore SIGTERM from now on. */
  stubborn(): void {
    mkdirSync(join(this.#gates, 'stubborn'));
  }

  patchJob(patch: unknown): Promise<KubeObject> {
    return this.#kube.merge(`${this.#jobs}/job`, patch);
  }

  deleteJob(propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'): Promise<KubeObject> {
    return this.#kube.ok('DELETE', `${this.#jobs}/job`, propagationPolicy ? { propagationPolicy } : undefined);
  }

  /** Returns the active pod of an index. */
  #pod(index: number): KubeObject {
    const pods = [...this.#pods.values()].filter((pod) => podStatesOf([pod])[0]?.index === index);
    const pod = pods.find((p) => !['Succeeded', 'Failed'].includes(p.status?.phase)) ?? pods[0];
    if (!pod) throw new Error(`no pod of index ${index}`);
    return pod;
  }

  async deletePod(index: number): Promise<void> {
    await this.#kube.ok('DELETE', `${this.#podsPath}/${this.#pod(index).metadata.name}`);
  }

  /** Adds the condition DisruptionTarget to the pod of an index, as an eviction does. */
  async markDisrupted(index: number, more: { phase?: 'Failed' } = {}): Promise<void> {
    const pod = this.#pod(index);
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node lost' };
    const conditions = [...(pod.status.conditions ?? []), { ...condition, lastTransitionTime: now() }];
    await this.#kube.merge(`${this.#podsPath}/${pod.metadata.name}/status`, { status: { ...more, conditions } });
  }

  /** Ends the pod of an index as PodGC does when its node is lost: marked, Failed, then deleted at once. */
  async disrupt(index: number): Promise<void> {
    const { name } = this.#pod(index).metadata;
    await this.markDisrupted(index, { phase: 'Failed' });
    await this.#kube.ok('DELETE', `${this.#podsPath}/${name}`, { gracePeriodSeconds: 0 });
  }

  async close(): Promise<void> {
    for (const watch of this.#watches) watch.stop();
    this.#watches = [];
    for (const pod of this.#pods.values()) {
      await this.#kube.call('DELETE', `${this.#podsPath}/${pod.metadata.name}`, { gracePeriodSeconds: 0 });
    }
    await this.#kube.call('DELETE', `${this.#jobs}/job`, { propagationPolicy: 'Background', gracePeriodSeconds: 0 });
    rmSync(this.#gates, { recursive: true, force: true });
  }
}

const now = () => `${new Date().toISOString().slice(0, 19)}Z`;
