/** Reconciles one AnalysisTask: gather, decide, make, write the status once, take away, tell. */

import type { AnalysisTask, Genome, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { ANALYSIS_TASKS, JOBS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { type Actor, act } from '../jobs/act.ts';
import { endedPods } from '../jobs/ended-pods.ts';
import { type JobFacts, jobFacts, type PodFacts } from '../jobs/facts.ts';
import type { EventRecorder } from '../kube/events.ts';
import { patchStatus } from '../kube/patch.ts';
import type { WorkResult } from '../kube/queue.ts';
import { decide } from './decide.ts';
import type { Decision, Input, TaskSettings } from './input.ts';
import { isFinished, openStep } from './plan.ts';
import { refused } from './server-refusal.ts';
import { tell } from './story.ts';

export interface TaskCaches {
  tasks: Store<Stored<AnalysisTask>>;
  pipelines: Store<Stored<Pipeline>>;
  genomes: Store<Stored<Genome>>;
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
  settings: TaskSettings;
  now: () => number;
  onJobCreated?: (key: string) => void;
  /** Told of tasks whose share of a quota may have changed. */
  onGroupChange?: (keys: string[]) => void;
}

export class TaskReconciler {
  readonly #options: TaskReconcilerOptions;
  readonly #actor: Actor;
  /** What this process wrote last, by key; `task` only until the cache has it too. */
  readonly #written = new Map<string, { task: Stored<AnalysisTask> | undefined; at: number }>();
  /** ConfigMaps that are known to exist, by task key: they are immutable, so asking again is for nothing. */
  readonly #specFiles = new Map<string, Set<string>>();

  constructor(options: TaskReconcilerOptions) {
    this.#options = options;
    this.#actor = options;
  }

  /** Throws what is to be repeated later; a Conflict is one of these. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const task = this.#latest(key);
    if (!task) {
      this.#written.delete(key);
      this.#specFiles.delete(key);
      return {};
    }
    const input = await this.#gather(key, task, signal);
    const decision = await this.#make(key, input, decide(input), signal);
    await this.#write(key, input, decision, signal);
    for (const action of decision.after) await act(this.#actor, task, action, signal);
    return decision.requeueAfterMs === undefined ? {} : { requeueAfterMs: decision.requeueAfterMs };
  }

  /** The cached task, or what was written since if the cache has not seen that yet. */
  #latest(key: string): Stored<AnalysisTask> | undefined {
    const cached = this.#options.caches.tasks.get(key);
    const last = this.#written.get(key);
    const written = last?.task;
    if (!cached || !written) return cached;
    const newer = (written.status?.revision ?? 0) > (cached.status?.revision ?? 0);
    if (newer && written.metadata.uid === cached.metadata.uid) return written;
    last.task = undefined;
    return cached;
  }

  async #gather(key: string, task: Stored<AnalysisTask>, signal: AbortSignal): Promise<Input> {
    const { caches, settings, now } = this.#options;
    const { namespace, uid } = task.metadata;
    const inNamespace = (name: string | undefined): string => (namespace ? `${namespace}/${name}` : `${name}`);
    const jobs = caches.jobs.byIndex('owner', uid);
    const unseen = await this.#unseenJob(task, jobs, signal);
    const openJob = openStep(task.status ?? {})?.step.job;
    const open = unseen ?? jobs.find(({ name }) => name === openJob);
    const pods = await endedPods(this.#options.client, open, caches.pods.byIndex('task', key), signal);
    return {
      task,
      pipeline: caches.pipelines.get(inNamespace(task.spec.pipeline.name)),
      genome: task.spec.genome ? caches.genomes.get(inNamespace(task.spec.genome)) : undefined,
      jobs: unseen ? [...jobs, unseen] : jobs,
      pods,
      notReadyNodes: caches.notReadyNodes(),
      groupTasks: settings.groupPods === 0 ? 1 : this.#groupOf(task).length,
      lastWrite: this.#written.get(key)?.at,
      now: now(),
      settings,
    };
  }

  /** The open step's Job if the cache does not have it: asked for, before it is taken for lost. */
  async #unseenJob(
    task: Stored<AnalysisTask>,
    jobs: readonly JobFacts[],
    signal: AbortSignal,
  ): Promise<JobFacts | undefined> {
    if (!task.status || isFinished(task.status.phase)) return undefined;
    const name = openStep(task.status)?.step.job;
    if (!name || jobs.some((job) => job.name === name)) return undefined;
    const { namespace, uid } = task.metadata;
    try {
      const job = await this.#options.client.get(JOBS, name, { signal, ...(namespace !== undefined && { namespace }) });
      const facts = jobFacts(job);
      return facts.owner?.uid === uid ? facts : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Makes what the decision asks for; answers another decision when the server refuses it. */
  async #make(key: string, input: Input, decision: Decision, signal: AbortSignal): Promise<Decision> {
    const known = this.#specFiles.get(key) ?? new Set();
    this.#specFiles.set(key, known);
    try {
      for (const action of decision.before) {
        const specFile = action.do === 'createConfigMap' ? action.object.metadata?.name : undefined;
        if (specFile !== undefined && known.has(specFile)) continue;
        await act(this.#actor, input.task, action, signal);
        if (specFile !== undefined) known.add(specFile);
      }
      return decision;
    } catch (error) {
      return refused(input, error);
    }
  }

  async #write(key: string, input: Input, decision: Decision, signal: AbortSignal): Promise<void> {
    const { client, events, now, onGroupChange } = this.#options;
    const { task } = input;
    const stored = await patchStatus(client, ANALYSIS_TASKS, task, decision.status, signal);
    if (!stored) return;
    this.#written.set(key, { task: stored, at: now() });
    for (const event of tell(task, task.status, decision.status)) events.record(stored, event);
    const ended = isFinished(decision.status.phase) && !isFinished(task.status?.phase);
    const begun = !task.status?.started && decision.status.started;
    if ((ended || begun) && input.settings.groupPods > 0)
      onGroupChange?.(this.#groupOf(task).filter((other) => other !== key));
  }

  /** Keys of the tasks of the same group that are not finished. */
  #groupOf(task: AnalysisTask): string[] {
    const { tasks } = this.#options.caches;
    return tasks.keys().filter((key) => {
      const other = tasks.get(key);
      return other?.spec.group === task.spec.group && !isFinished(other.status?.phase);
    });
  }
}
