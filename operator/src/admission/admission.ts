/**
 * Plans admission again when something has changed, and looks at those tasks that the plan concerns: Jobs whose
 * parallelism changes, tasks that may start, and now and then tasks that wait. It remembers nothing that a restart may
 * not lose.
 */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { Candidate } from './candidate.ts';
import { type Grant, type Limits, type Plan, planAdmission, roomOf } from './plan.ts';
import { isWorthTelling, type Wait, waitAt, waitOf } from './waiting.ts';

/** What a task may do: run pods, or wait. */
export type Admitted = { grant: Grant; wait?: never } | { grant?: never; wait: Wait };

export interface AdmissionOptions {
  /** Of all unfinished tasks. */
  candidates: () => Candidate[];
  limits: () => Limits;
  /** The condition Admitted that a task's status holds. */
  told: (key: string) => Condition | undefined;
  /** Enqueues a task; `soon`: to be started, before tasks that only wait. */
  look: (key: string, turn: 'now' | 'soon' | 'later') => void;
}

/** Changes within this time are planned together, ms. */
const GATHER_MS = 10;
/** Planning takes no more than a tenth of the time, and is done ten times a second at most, ms. */
const PLAN_EVERY_MS = 100;
/** Tasks that are started ahead of the cache, so that another group's task soon has its turn. */
const STARTS_AT_A_TIME = 8;
/** A start that has not been seen for so long failed, and is repeated by its queue; others go on, ms. */
const START_MS = 5_000;
/** Tasks that wait are told something new so many at a time, with this time between, ms. */
const TELL_EVERY_MS = 1_000;
const TELLS_AT_A_TIME = 10;

export class Admission {
  readonly #options: AdmissionOptions;
  #plan: Plan | undefined;
  readonly #groupOf = new Map<string, string>();
  /** When tasks were let start that are not seen started yet. */
  readonly #starting = new Map<string, number>();
  /** Pods of Jobs that are being made and that the cache does not show yet. */
  readonly #promised = new Map<string, { pods: number; at: number }>();
  #timer: NodeJS.Timeout | undefined;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** Set while tasks that wait are not looked through again. */
  #tellTimer: NodeJS.Timeout | undefined;
  #running = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Plans until the signal fires. */
  run(signal: AbortSignal): void {
    this.#running = true;
    signal.addEventListener(
      'abort',
      () => {
        this.#running = false;
        clearTimeout(this.#timer);
        clearTimeout(this.#tellTimer);
      },
      { once: true },
    );
    this.changed();
  }

  /** Something that admission depends on has changed. */
  changed(): void {
    if (!this.#running || this.#timer) return;
    const next = this.#plannedAt + Math.max(PLAN_EVERY_MS, 10 * this.#tookMs) - performance.now();
    this.#timer = setTimeout(() => this.#replan(), Math.max(GATHER_MS, next));
  }

  /** Undefined for a task that is not planned yet, or whose start comes after others': it is looked at again then. */
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

  /** Pods that the next Job of a task may run at once: its grant and what nobody has. */
  podsFor(key: string): number {
    const plan = this.#plan;
    if (!plan) return 1;
    return Math.max(1, plan.grants.get(key)?.pods ?? 1) + roomOf(plan, this.#groupOf.get(key) ?? '');
  }

  /** A Job of so many pods is being made: until the cache shows it they are not free for another. */
  take(key: string, pods: number): void {
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

  /** Tasks that wait, by reason. */
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
    const { candidates, limits, look } = this.#options;
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
    for (const [key, { parallelism }] of plan.grants) if (parallelism !== undefined) look(key, 'now');
    this.#start(plan);
    this.#tell(plan);
  }

  /** Forgets what the cache shows by now: the start of a task, and the Job for which pods were promised. */
  #forgetSeen(tasks: readonly Candidate[]): void {
    const pending = new Set(tasks.filter(({ started }) => !started).map(({ key }) => key));
    for (const key of this.#starting.keys()) if (!pending.has(key)) this.#starting.delete(key);
    const withoutJob = new Set(tasks.filter(({ job }) => job === undefined).map(({ key }) => key));
    for (const key of this.#promised.keys()) if (!withoutJob.has(key)) this.#promised.delete(key);
  }

  /**
   * A task whose Job is being made has its pods before the cache shows them. Else another task, which the cache shows first,
   * would get the same pods.
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
      this.#options.look(key, 'soon');
      free--;
    }
    if (start.some((key) => !this.#starting.has(key))) this.changed();
  }

  /** The next to start first: it is theirs that people look at. */
  #tell(plan: Plan): void {
    if (this.#tellTimer || plan.groups.every(({ waiting }) => waiting.length === 0)) return;
    const { told, look } = this.#options;
    let left = TELLS_AT_A_TIME;
    for (const [i, { waiting }] of plan.groups.entries())
      for (const [place, key] of waiting.entries()) {
        const wait = waitAt(plan, i, place);
        if (!wait || !isWorthTelling(told(key), wait)) continue;
        look(key, 'later');
        left--;
        if (left > 0) continue;
        this.#tellTimer = setTimeout(() => {
          this.#tellTimer = undefined;
          if (this.#plan) this.#tell(this.#plan);
        }, TELL_EVERY_MS);
        return;
      }
  }
}
