/** Reconciles one AnalysisTask: gather, decide, create objects, write the status once, remove objects, record events. */

import type {
  AnalysisTask,
  AnalysisTaskStatus,
  Genome,
  PanelType,
  Pipeline,
  WorkerPool,
} from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { ANALYSIS_TASKS, CONFIG_MAPS, JOBS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import type { Admission } from '../admission/admission.ts';
import { type Action, type Actor, act } from '../jobs/act.ts';
import { endedPods } from '../jobs/ended-pods.ts';
import { type JobFacts, jobFacts, type PodFacts } from '../jobs/facts.ts';
import { withLogs } from '../jobs/log-tails.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkResult } from '../kube/queue.ts';
import { writeStatus } from '../kube/write-status.ts';
import { decide } from './decide.ts';
import { lacksIngested } from './finish.ts';
import type { Decision, Input, TaskSettings } from './input.ts';
import { specName } from './names.ts';
import { refused } from './server-refusal.ts';
import { PIPELINE_KEY } from './spec-file.ts';
import { eventsFor } from './task-events.ts';
import { isFinished, openStep } from './task-state.ts';
import { trimForCache } from './trim-for-cache.ts';

export interface TaskCaches {
  tasks: Store<Stored<AnalysisTask>>;
  pipelines: Store<Stored<Pipeline>>;
  genomes: Store<Stored<Genome>>;
  panelTypes: Store<Stored<PanelType>>;
  pools: () => readonly Stored<WorkerPool>[];
  /** Index `owner`: uid of the task. */
  jobs: Store<JobFacts>;
  /** Index `task`: namespace/name of the task. */
  pods: Store<PodFacts>;
  notReadyNodes: () => ReadonlySet<string>;
}

export interface TaskReconcilerOptions {
  client: KubeClient;
  caches: TaskCaches;
  events: EventRecorder;
  /** Returns the current settings. */
  settings: () => TaskSettings;
  admission: Pick<Admission, 'of' | 'podsFor' | 'reserve'>;
  now: () => number;
  onJobCreated?: (key: string) => void;
  /** Called after each status write with the previous and the new status. */
  onWritten?: (key: string, old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus) => void;
}

/** Per-task state of this process that saves reads and writes. Losing it is safe. */
interface TaskMemory {
  uid: string;
  /** The last written task, until the cache contains it. */
  written?: Stored<AnalysisTask> | undefined;
  /** Time of that write, ms. */
  writtenAt?: number;
  /** Names of ConfigMaps known to exist; they are immutable. */
  specFiles: Set<string>;
  specDeleted?: boolean;
  /** uids of Jobs whose time to live is set but may not be in the cache yet. */
  expired: Set<string>;
  /** The Pipeline as of the task's start. */
  pipeline?: Pipeline | undefined;
}

export class TaskReconciler {
  readonly #options: TaskReconcilerOptions;
  readonly #actor: Actor;
  readonly #memories = new Map<string, TaskMemory>();

  constructor(options: TaskReconcilerOptions) {
    this.#options = options;
    this.#actor = options;
  }

  /** Throws errors that the queue retries, including conflicts. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const cached = this.#options.caches.tasks.get(key);
    if (!cached) {
      this.#memories.delete(key);
      return {};
    }
    const memory = this.#memoryOf(key, cached);
    const known = latest(cached, memory);
    // The status is written as a whole, but the cache holds only part of a finished task.
    const task = lacksIngested(known) ? await this.#whole(known, signal) : known;
    const found = await this.#gather(key, task, memory, signal);
    if (lacksOpenJob(found) && !(await this.#isThere(task, signal))) return {};
    // Reads and takes admission without an await in between, so that no other round gets the same pods.
    const input: Input = { ...found, ...this.#admissionOf(key) };
    const decided = decide(input);
    this.#reserve(key, decided);
    const decision = await this.#make(memory, input, decided, signal);
    await this.#write(key, memory, input, decision, signal);
    for (const action of decision.after) {
      if (action.do === 'expireJob' && memory.expired.has(action.job.uid)) continue;
      if (action.do === 'deleteConfigMap' && memory.specDeleted) continue;
      await act(this.#actor, task, action, signal);
      if (action.do === 'expireJob') memory.expired.add(action.job.uid);
      if (action.do === 'deleteConfigMap') memory.specDeleted = true;
    }
    return decision.requeueAfterMs === undefined ? {} : { requeueAfterMs: decision.requeueAfterMs };
  }

  /** A task that was deleted and created again under the same name gets a new memory. */
  #memoryOf(key: string, { metadata }: Stored<AnalysisTask>): TaskMemory {
    const known = this.#memories.get(key);
    if (known?.uid === metadata.uid) return known;
    const fresh = { uid: metadata.uid, specFiles: new Set<string>(), expired: new Set<string>() };
    this.#memories.set(key, fresh);
    return fresh;
  }

  #admissionOf(key: string): Pick<Input, 'admission' | 'podsForNext'> {
    const { admission } = this.#options;
    return { admission: admission.of(key), podsForNext: admission.podsFor(key) };
  }

  #reserve(key: string, { before }: Decision): void {
    for (const action of before)
      if (action.do === 'createJob') this.#options.admission.reserve(key, action.object.spec?.parallelism ?? 1);
  }

  async #gather(
    key: string,
    task: Stored<AnalysisTask>,
    memory: TaskMemory,
    signal: AbortSignal,
  ): Promise<Omit<Input, 'admission' | 'podsForNext'>> {
    const { caches, settings, now } = this.#options;
    const { namespace, uid } = task.metadata;
    const inNamespace = (name: string | undefined): string => (namespace ? `${namespace}/${name}` : `${name}`);
    const jobs = caches.jobs.byIndex('owner', uid);
    const unseen = await this.#unseenJob(task, jobs, signal);
    const openJob = openStep(task.status ?? {})?.step.job;
    const open = unseen ?? jobs.find(({ name }) => name === openJob);
    const { client } = this.#options;
    const ended = await endedPods(client, open, caches.pods.byIndex('task', key), signal);
    const pods = await withLogs(client, open, ended, signal);
    return {
      task,
      pipeline: await this.#pipelineOf(
        task,
        memory,
        caches.pipelines.get(inNamespace(task.spec.pipeline.name)),
        signal,
      ),
      genome: task.spec.genome ? caches.genomes.get(inNamespace(task.spec.genome)) : undefined,
      panelType: caches.panelTypes.get(inNamespace(task.spec.panelType.name)),
      pools: caches.pools(),
      jobs: unseen ? [...jobs, unseen] : jobs,
      pods,
      notReadyNodes: caches.notReadyNodes(),
      lastWrite: memory.writtenAt,
      now: now(),
      settings: settings(),
    };
  }

  /**
   * Returns the live Pipeline before the start and the one frozen at the start afterwards, so that deleting or replacing a
   * Pipeline does not affect running tasks.
   */
  async #pipelineOf(
    task: Stored<AnalysisTask>,
    memory: TaskMemory,
    live: Pipeline | undefined,
    signal: AbortSignal,
  ): Promise<Pipeline | undefined> {
    if (!task.status?.stages || isFinished(task.status.phase)) return live;
    if (memory.pipeline) return memory.pipeline;
    const { name, namespace } = task.metadata;
    const file = await orUndefined(
      this.#options.client.get(CONFIG_MAPS, specName(name), {
        signal,
        ...(namespace !== undefined && { namespace }),
      }),
    );
    const frozen = file?.data?.[PIPELINE_KEY];
    memory.pipeline = frozen ? (JSON.parse(frozen) as Pipeline) : live;
    return memory.pipeline;
  }

  /**
   * Reports whether the task still exists. Its Jobs are deleted with it, and their watch may be ahead of the tasks' watch;
   * the open Job would then count as lost and be created again.
   */
  async #isThere({ metadata }: Stored<AnalysisTask>, signal: AbortSignal): Promise<boolean> {
    const { name, namespace, uid } = metadata;
    const call = { signal, ...(namespace !== undefined && { namespace }) };
    const found = await orUndefined(this.#options.client.get(ANALYSIS_TASKS, name, call));
    return found?.metadata.uid === uid && found.metadata.deletionTimestamp === undefined;
  }

  /** Reads the complete task from the API server. */
  async #whole(task: Stored<AnalysisTask>, signal: AbortSignal): Promise<Stored<AnalysisTask>> {
    const { name, namespace, uid } = task.metadata;
    const call = { signal, ...(namespace !== undefined && { namespace }) };
    const whole = await this.#options.client.get(ANALYSIS_TASKS, name, call);
    if (whole.metadata.uid !== uid) throw new Error(`AnalysisTask ${name} was deleted and made again`);
    return whole;
  }

  /** Reads the open step's Job from the API server if the cache lacks it, before it counts as lost. */
  async #unseenJob(
    task: Stored<AnalysisTask>,
    jobs: readonly JobFacts[],
    signal: AbortSignal,
  ): Promise<JobFacts | undefined> {
    if (!task.status || isFinished(task.status.phase)) return undefined;
    const name = openStep(task.status)?.step.job;
    if (!name || jobs.some((job) => job.name === name)) return undefined;
    const { namespace, uid } = task.metadata;
    const job = await orUndefined(
      this.#options.client.get(JOBS, name, { signal, ...(namespace !== undefined && { namespace }) }),
    );
    const facts = job && jobFacts(job);
    return facts?.owner?.uid === uid ? facts : undefined;
  }

  /** Carries out the actions before the status write; returns another decision when the API server rejects one. */
  async #make(memory: TaskMemory, input: Input, decision: Decision, signal: AbortSignal): Promise<Decision> {
    const { specFiles } = memory;
    try {
      for (const action of decision.before) {
        const specFile = specFileOf(action, memory);
        if (action.do === 'createConfigMap' && specFile === undefined) continue;
        await act(this.#actor, input.task, action, signal);
        if (specFile !== undefined) specFiles.add(specFile);
      }
      return decision;
    } catch (error) {
      return refused(input, error);
    }
  }

  async #write(key: string, memory: TaskMemory, input: Input, decision: Decision, signal: AbortSignal): Promise<void> {
    const { client, events, now } = this.#options;
    const { task } = input;
    const stored = await writeStatus(client, ANALYSIS_TASKS, task, decision.status, signal);
    if (!stored) return;
    memory.written = trimForCache(stored);
    memory.writtenAt = now();
    if (isFinished(stored.status?.phase)) memory.pipeline = undefined;
    else if (!task.status?.stages) memory.pipeline = input.pipeline;
    for (const event of eventsFor(task, task.status, decision.status)) events.record(stored, event);
    this.#options.onWritten?.(key, task.status, decision.status);
  }
}

/** Reports whether the status names a Job of the open step that does not exist. */
function lacksOpenJob({ task: { status }, jobs }: Pick<Input, 'task' | 'jobs'>): boolean {
  if (!status || isFinished(status.phase)) return false;
  const name = openStep(status)?.step.job;
  return name !== undefined && !jobs.some((job) => job.name === name);
}

/** Returns the name of the spec file that the action creates, unless it is known to exist. */
const specFileOf = (action: Action, { specFiles }: TaskMemory): string | undefined => {
  const name = action.do === 'createConfigMap' ? action.object.metadata?.name : undefined;
  return name !== undefined && !specFiles.has(name) ? name : undefined;
};

/** Returns the cached task, or the last written one while the cache is older. */
function latest(cached: Stored<AnalysisTask>, memory: TaskMemory): Stored<AnalysisTask> {
  const { written } = memory;
  if (written && (written.status?.revision ?? 0) > (cached.status?.revision ?? 0)) return written;
  memory.written = undefined;
  return cached;
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
