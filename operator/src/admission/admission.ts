/**
 * Plans admission again after each change and enqueues the tasks that the plan affects: Jobs whose parallelism changes,
 * tasks that may start, and, less often, tasks that wait. Keeps no state that a restart may not lose.
 */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import { type Grant, type Limits, type Plan, planAdmission, roomOf } from './admission-plan.ts';
import type { Candidate } from './candidate.ts';
import { needsUpdate, type Wait, waitAt, waitOf } from './waiting.ts';

/** Permission of a task to run pods, or the reason why it waits. */
export type Admitted = { grant: Grant; wait?: never } | { grant?: never; wait: Wait };

export interface AdmissionOptions {
  /** Returns all unfinished tasks. */
  candidates: () => Candidate[];
  limits: () => Limits;
  /** Returns the condition Admitted from a task's status. */
  admittedCondition: (key: string) => Condition | undefined;
}

/** Enqueues a task. `soon` is for tasks that may start; they go before tasks that only wait. */
type EnqueueTask = (key: string, priority: 'now' | 'soon' | 'later') => void;

/** Changes within this time are planned together, ms. */
const GATHER_MS = 10;
/** Shortest time between two plans, ms. Planning also takes at most a tenth of the time. */
const PLAN_EVERY_MS = 100;
/** Tasks started ahead of the cache. Kept small so that another group's task soon has its turn. */
const STARTS_AT_A_TIME = 8;
/** A start not seen in the cache after this time has failed. Its queue retries it and other tasks start, ms. */
const START_MS = 5_000;
/** Waiting tasks get new conditions in batches of this size, with this time between, ms. */
const REPORT_EVERY_MS = 1_000;
const REPORTS_AT_A_TIME = 10;

export class Admission {
  readonly #options: AdmissionOptions;
  #plan: Plan | undefined;
  readonly #groupOf = new Map<string, string>();
  /** When each task was allowed to start, until the cache shows it started. */
  readonly #starting = new Map<string, number>();
  /** Pods of Jobs that are being created, until the cache shows the Job. */
  readonly #promised = new Map<string, { pods: number; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** Set while the next batch of waiting tasks is pending. */
  #reportTimer: NodeJS.Timeout | undefined;
  #enqueue: EnqueueTask | undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Plans until the signal fires. */
  run(signal: AbortSignal, enqueue: EnqueueTask): void {
    this.#enqueue = enqueue;
    signal.addEventListener(
      'abort',
      () => {
        this.#enqueue = undefined;
        clearTimeout(this.#timer);
        clearTimeout(this.#reportTimer);
      },
      { once: true },
    );
    this.changed();
  }

  /** Schedules a new plan because something changed that admission depends on. */
  changed(): void {
    if (!this.#enqueue || this.#timer) return;
    const next = this.#plannedAt + Math.max(PLAN_EVERY_MS, 10 * this.#tookMs) - performance.now();
    this.#timer = setTimeout(() => this.#replan(), Math.max(GATHER_MS, next));
  }

  /** Returns undefined for a task that is not planned yet or that starts after others; it is enqueued again then. */
  of(key: string): Admitted | undefined {
    const plan = this.#plan;
    if (!plan) return undefined;
    const grant = plan.grants.get(key);
    const group = this.#groupOf.get(key);
    if (!grant || group === undefined) {
      const wait = group === undefined ? undefined : waitOf(plan, group, key);
      return wait && { wait };
    }
    if (plan.start.includes(key) && !this.#starting.has(key)) return undefined;
    return { grant };
  }

  /** Returns the pods that the next Job of a task may run: its grant plus the unassigned pods. */
  podsFor(key: string): number {
    const plan = this.#plan;
    if (!plan) return 1;
    return Math.max(1, plan.grants.get(key)?.pods ?? 1) + roomOf(plan, this.#groupOf.get(key) ?? '');
  }

  /** Reserves pods for a Job that is being created, until the cache shows it. */
  reserve(key: string, pods: number): void {
    this.#promised.set(key, { pods, at: performance.now() });
    const plan = this.#plan;
    const grant = plan?.grants.get(key);
    const more = pods - (grant?.pods ?? 0);
    if (!plan || more <= 0) return;
    plan.used += more;
    const group = plan.groups.find(({ name }) => name === this.#groupOf.get(key));
    if (group) group.used += more;
    plan.grants.set(key, { pods });
  }

  /** Number of waiting tasks by reason. */
  waiting(): Map<string, number> {
    const counts = new Map([
      ['GroupAtLimit', 0],
      ['ClusterAtLimit', 0],
      ['Turn', 0],
    ]);
    const plan = this.#plan;
    for (const [i, { waiting }] of (plan?.groups ?? []).entries()) {
      const reason = plan && waiting.length > 0 ? waitAt(plan, i, 0)?.reason : undefined;
      if (reason) counts.set(reason, (counts.get(reason) ?? 0) + waiting.length);
    }
    return counts;
  }

  #replan(): void {
    this.#timer = undefined;
    const began = performance.now();
    const { candidates, limits } = this.#options;
    const tasks = candidates();
    this.#forgetSeen(tasks);
    const plan = planAdmission(
      tasks.map((task) => this.#asPlanned(task)),
      limits(),
    );
    this.#plan = plan;
    this.#groupOf.clear();
    for (const { key, group } of tasks) this.#groupOf.set(key, group);
    this.#plannedAt = performance.now();
    this.#tookMs = this.#plannedAt - began;
    for (const [key, { parallelism }] of plan.grants) if (parallelism !== undefined) this.#enqueue?.(key, 'now');
    this.#start(plan);
    this.#reportWaits(plan);
  }

  /** Forgets each start of a task, and each promise of pods, that the cache now shows. */
  #forgetSeen(tasks: readonly Candidate[]): void {
    const pending = new Set(tasks.filter(({ started }) => !started).map(({ key }) => key));
    for (const key of this.#starting.keys()) if (!pending.has(key)) this.#starting.delete(key);
    const withoutJob = new Set(tasks.filter(({ job }) => job === undefined).map(({ key }) => key));
    for (const key of this.#promised.keys()) if (!withoutJob.has(key)) this.#promised.delete(key);
  }

  /**
   * Counts the pods of a Job that is being created before the cache shows them. Otherwise another task, which the cache
   * shows first, would get the same pods.
   */
  #asPlanned(task: Candidate): Candidate {
    const promise = this.#promised.get(task.key);
    if (!promise || performance.now() - promise.at > START_MS) return task;
    return { ...task, started: true, active: Math.max(task.active, promise.pods) };
  }

  #start({ start, grants }: Plan): void {
    const now = performance.now();
    let free = STARTS_AT_A_TIME;
    for (const at of this.#starting.values()) if (now - at < START_MS) free--;
    for (const key of start) {
      if (free <= 0) break;
      if (this.#starting.has(key)) continue;
      this.#starting.set(key, now);
      this.#promised.set(key, { pods: grants.get(key)?.pods ?? 1, at: now });
      this.#enqueue?.(key, 'soon');
      free--;
    }
    if (start.some((key) => !this.#starting.has(key))) this.changed();
  }

  /** Reports tasks in their order of start, because people watch the next ones. */
  #reportWaits(plan: Plan): void {
    if (this.#reportTimer || plan.groups.every(({ waiting }) => waiting.length === 0)) return;
    const { admittedCondition } = this.#options;
    let left = REPORTS_AT_A_TIME;
    for (const [i, { waiting }] of plan.groups.entries())
      for (const [place, key] of waiting.entries()) {
        const wait = waitAt(plan, i, place);
        if (!wait || !needsUpdate(admittedCondition(key), wait)) continue;
        this.#enqueue?.(key, 'later');
        left--;
        if (left > 0) continue;
        this.#reportTimer = setTimeout(() => {
          this.#reportTimer = undefined;
          if (this.#plan) this.#reportWaits(this.#plan);
        }, REPORT_EVERY_MS);
        return;
      }
  }
}
