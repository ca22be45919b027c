/** The state of a Job and its pods in one sync: active pods, and done, failed or waiting indexes. Pure. */

import type { CoreCondition, Job, Pod } from '@seqpanel/crds/kube/core-types.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import type { FullJobSpec } from '../objects/job-strategy.ts';
import type { Obj } from '../objects/metadata.ts';
import { timestamp } from '../objects/metadata.ts';
import { matchPodFailurePolicy } from './pod-failure-policy.ts';

export const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const INDEX = 'batch.kubernetes.io/job-completion-index';
export const FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';
/** DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff of kube-controller-manager. */
export const BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;

export type JobPod = Pod & Obj;
export type JobStatus = NonNullable<Job['status']>;

export interface JobInput {
  job: Job & Obj;
  /** Pods controlled by the Job. */
  pods: JobPod[];
  now: number;
  backoffMs: number;
}

export interface JobEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

export interface JobDecision {
  /** Written in this order; the second has the terminal condition. */
  statuses: JobStatus[];
  create: { index?: number; failures?: number; ignored?: number }[];
  delete: JobPod[];
  /** Pods that are now counted and lose their finalizer. */
  release: JobPod[];
  /** When to sync again without any change. */
  wakeAt?: number;
  events: JobEvent[];
}

export const hasFinalizer = ({ metadata }: JobPod) => metadata.finalizers?.includes(JOB_FINALIZER) ?? false;
export const phase = ({ status }: JobPod) => status?.phase ?? 'Pending';
const isTerminal = (pod: JobPod) => phase(pod) === 'Succeeded' || phase(pod) === 'Failed';
export const isReady = ({ status }: JobPod) =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
export const annotated = ({ metadata }: JobPod, key: string) => Number(metadata.annotations?.[key] ?? 0);
const failuresOf = (pod: JobPod) => annotated(pod, FAILURES) + annotated(pod, IGNORED_FAILURES);
const finishedAt = ({ status, metadata }: JobPod) =>
  Date.parse(
    status?.containerStatuses?.[0]?.state?.terminated?.finishedAt ??
      status?.conditions?.find((one) => one.type === 'Ready' && one.status === 'False')?.lastTransitionTime ??
      metadata.deletionTimestamp ??
      metadata.creationTimestamp ??
      '',
  );
export const conditionOf = (status: JobStatus | undefined, type: string): CoreCondition | undefined =>
  status?.conditions?.find((one) => one.type === type && one.status === 'True');
/** Reports whether the Job is Complete or Failed. */
export const isFinished = (job: Job): boolean =>
  Boolean(conditionOf(job.status, 'Complete') ?? conditionOf(job.status, 'Failed'));

export class Sync {
  readonly job: JobInput['job'];
  readonly spec: FullJobSpec;
  readonly pods: JobPod[];
  readonly now: number;
  readonly backoffMs: number;
  readonly indexed: boolean;
  readonly perIndex: boolean;
  /** Pods with a valid index that are not counted yet. */
  readonly uncounted: JobPod[];
  readonly active: JobPod[];
  readonly succeededIndexes: Set<number>;
  readonly failedIndexes: Set<number>;
  /** The last failed pod of each index that waits for its replacement; it holds the failure count of the index. */
  readonly awaiting = new Map<number, JobPod>();
  readonly out: JobDecision = { statuses: [], create: [], delete: [], release: [], events: [] };
  terminating: number;

  constructor({ job, pods, now, backoffMs }: JobInput) {
    this.job = job;
    this.spec = job.spec as FullJobSpec;
    this.pods = pods;
    this.now = now;
    this.backoffMs = backoffMs;
    this.indexed = this.spec.completionMode === 'Indexed';
    this.perIndex = this.spec.backoffLimitPerIndex !== undefined;
    this.uncounted = pods.filter((pod) => hasFinalizer(pod) && (!this.indexed || this.index(pod) !== undefined));
    this.active = pods.filter((pod) => !isTerminal(pod) && !pod.metadata.deletionTimestamp);
    this.terminating = pods.filter((pod) => !isTerminal(pod) && pod.metadata.deletionTimestamp).length;
    this.succeededIndexes = new Set(parseRanges(job.status?.completedIndexes ?? ''));
    this.failedIndexes = new Set(parseRanges(job.status?.failedIndexes ?? ''));
    for (const pod of this.indexed ? this.uncounted : []) {
      if (phase(pod) === 'Succeeded') this.succeededIndexes.add(this.index(pod)!);
      if (this.perIndex && this.isIndexFailed(pod)) this.failedIndexes.add(this.index(pod)!);
    }
    if (this.perIndex) this.#findAwaiting();
  }

  index(pod: JobPod): number | undefined {
    const index = Number(pod.metadata.annotations?.[INDEX] ?? Number.NaN);
    return Number.isInteger(index) && index < (this.spec.completions ?? 0) ? index : undefined;
  }

  /** With podReplacementPolicy TerminatingOrFailed, a pod counts as failed once it is being deleted. */
  isFailed(pod: JobPod): boolean {
    if (phase(pod) === 'Failed') return true;
    if (this.spec.podReplacementPolicy === 'Failed') return false;
    return pod.metadata.deletionTimestamp !== undefined && phase(pod) !== 'Succeeded';
  }

  isIndexFailed(pod: JobPod): boolean {
    if (!this.isFailed(pod)) return false;
    const { action, counted } = matchPodFailurePolicy(this.job, pod);
    return action === 'FailIndex' || (counted && annotated(pod, FAILURES) >= this.spec.backoffLimitPerIndex!);
  }

  #findAwaiting(): void {
    const active = new Set(this.active.map((pod) => this.index(pod)));
    for (const pod of this.uncounted) {
      const index = this.index(pod)!;
      if (!this.isFailed(pod) || this.succeededIndexes.has(index) || this.failedIndexes.has(index) || active.has(index))
        continue;
      const known = this.awaiting.get(index);
      if (!known || (failuresOf(known) <= failuresOf(pod) && finishedAt(pod) >= finishedAt(known)))
        this.awaiting.set(index, pod);
    }
  }

  wake(at: number): void {
    this.out.wakeAt = Math.min(this.out.wakeAt ?? Number.POSITIVE_INFINITY, at);
  }

  condition(type: string, reason: string, message: string, status: 'True' | 'False' = 'True'): CoreCondition {
    const at = timestamp(this.now);
    return { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message };
  }

  /** Returns why the Job fails now, as the interim condition. */
  failure(succeeded: number, failed: number): CoreCondition | undefined {
    const target = (reason: string, message: string) => this.condition('FailureTarget', reason, message);
    for (const pod of this.pods) {
      const message = this.isFailed(pod) && matchPodFailurePolicy(this.job, pod).message;
      if (message) return target('PodFailurePolicy', message);
    }
    if (failed > this.spec.backoffLimit!)
      return target('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
    const { activeDeadlineSeconds, suspend, maxFailedIndexes } = this.spec;
    const startTime = this.job.status?.startTime;
    if (activeDeadlineSeconds !== undefined && !suspend) {
      const due = (startTime ? Date.parse(startTime) : this.now) + activeDeadlineSeconds * 1000;
      if (this.now >= due) return target('DeadlineExceeded', 'Job was active longer than specified deadline');
      this.wake(due);
    }
    const lost = this.failedIndexes.size;
    if (maxFailedIndexes !== undefined && lost > maxFailedIndexes) {
      return target('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
    }
    if (lost > 0 && lost + succeeded >= this.spec.completions!)
      return target('FailedIndexes', 'Job has failed indexes');
    return undefined;
  }

  /** Deletes pods. An active pod loses its finalizer first, so that nothing waits for it. */
  deletePods(pods: JobPod[]): void {
    for (const pod of pods) {
      this.out.delete.push(pod);
      this.out.events.push({
        type: 'Normal',
        reason: 'SuccessfulDelete',
        message: `Deleted pod: ${pod.metadata.name}`,
      });
    }
    this.terminating += pods.length;
  }

  /** Creates or deletes pods to match the parallelism; returns the number of active pods. */
  manage(succeeded: number): number {
    const { completions, parallelism = 1, suspend } = this.spec;
    const active = this.active.length;
    if (suspend) {
      this.deletePods(this.active);
      return 0;
    }
    const open = completions === undefined ? (succeeded > 0 ? active : parallelism) : completions - succeeded;
    const want = Math.max(Math.min(open, parallelism), 0);
    if (active > want) {
      // Pending pods first, then the youngest.
      const order = [...this.active].sort(
        (a, b) =>
          Number(isReady(a)) - Number(isReady(b)) ||
          (a.metadata.creationTimestamp! < b.metadata.creationTimestamp! ? 1 : -1),
      );
      this.deletePods(order.slice(0, active - want));
      return want;
    }
    const room = want - active - (this.spec.podReplacementPolicy === 'Failed' ? this.terminating : 0);
    if (room <= 0) return active;
    if (!this.perIndex) {
      const due = this.#backoffEnd();
      if (due > this.now) {
        this.wake(due);
        return active;
      }
    }
    if (!this.indexed) for (let i = 0; i < room; i++) this.out.create.push({});
    else for (const index of this.#pendingIndexes(room)) this.#createIndex(index);
    return active + this.out.create.length;
  }

  #createIndex(index: number): void {
    const before = this.awaiting.get(index);
    if (!before) {
      this.out.create.push({ index, ...(this.perIndex && { failures: 0, ignored: 0 }) });
      return;
    }
    const due = finishedAt(before) + Math.min(this.backoffMs * 2 ** failuresOf(before), MAX_BACKOFF_MS);
    if (due > this.now) {
      this.wake(due);
      return;
    }
    const { counted } = matchPodFailurePolicy(this.job, before);
    const failures = annotated(before, FAILURES) + (counted ? 1 : 0);
    this.out.create.push({ index, failures, ignored: annotated(before, IGNORED_FAILURES) + (counted ? 0 : 1) });
  }

  #pendingIndexes(count: number): number[] {
    const taken = new Set(this.active.map((pod) => this.index(pod)));
    if (this.spec.podReplacementPolicy === 'Failed') {
      for (const pod of this.pods) if (!isTerminal(pod) && pod.metadata.deletionTimestamp) taken.add(this.index(pod));
    }
    const result: number[] = [];
    for (let i = 0; i < this.spec.completions! && result.length < count; i++) {
      if (!taken.has(i) && !this.succeededIndexes.has(i) && !this.failedIndexes.has(i)) result.push(i);
    }
    return result;
  }

  /** Without backoffLimitPerIndex, the failures since the last success delay all new pods. */
  #backoffEnd(): number {
    const lastSuccess = Math.max(0, ...this.pods.filter((pod) => phase(pod) === 'Succeeded').map(finishedAt));
    const failures = this.pods.filter((pod) => this.isFailed(pod) && finishedAt(pod) > lastSuccess).map(finishedAt);
    if (failures.length === 0) return 0;
    return Math.max(...failures) + Math.min(this.backoffMs * 2 ** (failures.length - 1), MAX_BACKOFF_MS);
  }
}
