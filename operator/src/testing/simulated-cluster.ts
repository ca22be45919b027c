/** For tests only: Jobs and pods that follow an admission plan, in ticks; every pod runs for `podTicks`. */

import { type Limits, planAdmission, roomOf } from '../admission/admission-plan.ts';
import type { Candidate } from '../admission/candidate.ts';

interface SimulatedTask {
  key: string;
  group: string;
  created: string;
  /** Pods of each remaining step, the open one first. */
  steps: number[];
  /** Undefined between two steps and before the start. */
  parallelism?: number;
  started: boolean;
  /** Ages of the running pods. */
  pods: number[];
}

export class SimulatedCluster {
  limits: Limits;
  readonly #podTicks: number;
  readonly #tasks: SimulatedTask[] = [];
  #tick = 0;
  /** Ages of pods that were ended for another task. */
  readonly killed: number[] = [];
  /** Keys in the order of their start. */
  readonly started: string[] = [];

  constructor(limits: Limits, podTicks: number) {
    this.limits = limits;
    this.#podTicks = podTicks;
  }

  launch(group: string, steps: number[]): string {
    const n = this.#tasks.length;
    const key = `${group}-${n}`;
    this.#tasks.push({ key, group, created: String(n).padStart(6, '0'), steps: [...steps], started: false, pods: [] });
    return key;
  }

  /** Runs one round of planning, of the Job controller and of the pods. */
  tick(): void {
    const plan = planAdmission(this.#open().map(candidate), this.limits);
    this.started.push(...plan.start);
    for (const task of this.#open()) {
      const grant = plan.grants.get(task.key);
      if (grant?.parallelism !== undefined) task.parallelism = grant.parallelism;
      if (!grant || task.parallelism !== undefined) continue;
      const pods = Math.min(task.steps[0] ?? 0, grant.pods + (task.started ? roomOf(plan, task.group) : 0));
      task.started = true;
      task.parallelism = pods;
      const more = Math.max(0, pods - grant.pods);
      plan.used += more;
      for (const group of plan.groups) if (group.name === task.group) group.used += more;
    }
    for (const task of this.#open()) {
      const want = Math.min(task.parallelism ?? 0, task.steps[0] ?? 0);
      task.pods.sort((a, b) => b - a);
      this.killed.push(...task.pods.splice(want));
      while (task.pods.length < want) task.pods.push(0);
    }
  }

  /** Ages the pods and completes those at their end. */
  pass(): void {
    this.#tick++;
    for (const task of this.#open()) {
      const lasting = task.pods.map((age) => age + 1).filter((age) => age < this.#podTicks);
      task.steps[0] = (task.steps[0] ?? 0) - (task.pods.length - lasting.length);
      task.pods = lasting;
      if (task.steps[0] > 0) continue;
      task.steps.shift();
      delete task.parallelism;
    }
  }

  /** Ends the oldest pod of a group. */
  endOne(group: string): void {
    const oldest = this.#open()
      .filter((task) => task.group === group && task.pods.length > 0)
      .sort((a, b) => Math.max(...b.pods) - Math.max(...a.pods))[0];
    if (!oldest) return;
    oldest.pods.sort((a, b) => b - a).shift();
    oldest.steps[0] = (oldest.steps[0] ?? 0) - 1;
  }

  pods(group?: string): number {
    const tasks = this.#open().filter((task) => group === undefined || task.group === group);
    return tasks.reduce((sum, task) => sum + task.pods.length, 0);
  }

  podsOf = (key: string): number => this.#tasks.find((task) => task.key === key)?.pods.length ?? 0;

  running = (group: string): number => this.#open().filter((task) => task.started && task.group === group).length;

  get ticks(): number {
    return this.#tick;
  }

  get isDone(): boolean {
    return this.#open().length === 0;
  }

  #open = (): SimulatedTask[] => this.#tasks.filter(({ steps }) => steps.length > 0);
}

const candidate = ({ key, group, created, steps, parallelism, started, pods }: SimulatedTask): Candidate => ({
  key,
  group,
  uid: key,
  created,
  started,
  ending: false,
  wants: started && parallelism === undefined ? 1 : Math.max(1, steps[0] ?? 1),
  ...(parallelism !== undefined && { job: key }),
  allowed: Math.min(parallelism ?? 0, steps[0] ?? 0),
  active: pods.length,
  settled: pods.filter((age) => age > 0).length,
  leaving: 0,
});
