/** Reconciles one AnalysisTask: gather, decide, create objects, write the status once, remove objects, record events. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import type { Admission } from '../admission/admission.ts';
import { type Actor, act } from '../jobs/act.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkResult } from '../kube/queue.ts';
import { writeStatus } from '../kube/write-status.ts';
import { decide } from './decide.ts';
import { lacksIngested } from './finish.ts';
import type { Decision, Input } from './input.ts';
import { refused } from './server-refusal.ts';
import { eventsFor } from './task-events.ts';
import { latest, specFileOf, TaskMemories, type TaskMemory } from './task-memory.ts';
import { TaskReader, type TaskReaderOptions } from './task-reader.ts';
import { isFinished, openStep } from './task-state.ts';
import { trimForCache } from './trim-for-cache.ts';

export interface TaskReconcilerOptions extends TaskReaderOptions {
  events: EventRecorder;
  admission: Pick<Admission, 'of' | 'podsFor' | 'reserve'>;
  onJobCreated?: (key: string) => void;
  /** Called after each status write with the previous and the new status. */
  onWritten?: (key: string, old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus) => void;
}

export class TaskReconciler {
  readonly #options: TaskReconcilerOptions;
  readonly #actor: Actor;
  readonly #reader: TaskReader;
  readonly #memories = new TaskMemories();

  constructor(options: TaskReconcilerOptions) {
    this.#options = options;
    this.#actor = options;
    this.#reader = new TaskReader(options);
  }

  /** Throws errors that the queue retries, including conflicts. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const cached = this.#options.caches.tasks.get(key);
    if (!cached) {
      this.#memories.delete(key);
      return {};
    }
    const memory = this.#memories.of(key, cached);
    const known = latest(cached, memory);
    // The status is written as a whole, but the cache holds only part of a finished task.
    const task = lacksIngested(known) ? await this.#reader.whole(known, signal) : known;
    const found = await this.#reader.gather(key, task, memory, signal);
    if (lacksOpenJob(found) && !(await this.#reader.exists(task, signal))) return {};
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

  #admissionOf(key: string): Pick<Input, 'admission' | 'podsForNext'> {
    const { admission } = this.#options;
    return { admission: admission.of(key), podsForNext: admission.podsFor(key) };
  }

  #reserve(key: string, { before }: Decision): void {
    for (const action of before)
      if (action.do === 'createJob') this.#options.admission.reserve(key, action.object.spec?.parallelism ?? 1);
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
