/** One fault, once: tasks are launched, the fault comes and goes, the tasks must end as if nothing had happened. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KubeHttp, KubeObject } from '../../cluster/kube-http.ts';
import { collection } from '../../kubernetes-contract/builders.ts';
import { type Evidence, type ExpectedTask, isCurrent, type Results, resourcesOf, violations } from './invariants.ts';
import type { Laboratory } from './laboratory.ts';

/** A fault of the rounds of class R. */
export interface FaultOf<R> {
  /** Name in the table. */
  name: string;
  /** Longest time from the end of the fault until all statuses are current, seconds. */
  within: number;
  run(round: R): Promise<void>;
}

export interface RoundReport {
  fault: string;
  problems: string[];
  /** Seconds from the end of the fault until all statuses were current. */
  recovered?: number;
  /** Seconds of the whole round. */
  took: number;
}

export interface SuiteReport {
  rounds: RoundReport[];
  /** Faults that this machine cannot play, with the reason. */
  skipped: { fault: string; reason: string }[];
}

export interface JudgedRoundOptions {
  name: string;
  lab: Laboratory;
  /** Limits of time hold on a machine that has processors for us; a busy one is given so many times that. */
  patience: number;
  evidence: Evidence;
}

const END_SECONDS = 120;

export class JudgedRound {
  readonly name: string;
  readonly lab: Laboratory;
  readonly patience: number;
  readonly tasks: ExpectedTask[] = [];
  readonly #evidence: Evidence;
  #launched = 0;
  #liftedAt: number | undefined;
  #revisions = new Map<string, number>();
  #cleanUps: (() => Promise<unknown> | unknown)[] = [];

  constructor({ name, lab, patience, evidence }: JudgedRoundOptions) {
    this.name = name;
    this.lab = lab;
    this.patience = patience;
    this.#evidence = evidence;
  }

  get kube(): KubeHttp {
    return this.#evidence.kube;
  }
  get namespace(): string {
    return this.#evidence.namespace;
  }

  /** Launches a task of two samples. */
  async launch(expected: Partial<ExpectedTask> = {}): Promise<ExpectedTask> {
    const id = await this.lab.launch(`${this.name}-${++this.#launched}`);
    const task: ExpectedTask = { end: 'completed', ...expected, id };
    this.tasks.push(task);
    return task;
  }

  /** Done at the end of the round whatever happens. */
  afterwards(cleanUp: () => Promise<unknown> | unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Waits for a moment that must come. */
  async reached(start: (done: () => void, failed: (error: Error) => void) => void, seconds = 60): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error('the moment of the fault did not come')),
        seconds * this.patience * 1000,
      );
      start(resolve, reject);
    }).finally(() => clearTimeout(timer));
    this.#liftedAt = Date.now();
  }

  /** The fault is over: from now on statuses must become current, and each task must have gone on. */
  async lifted(): Promise<void> {
    this.#liftedAt = Date.now();
    for (const { status, metadata } of await this.resources().catch(() => []))
      this.#revisions.set(metadata.name, status?.revision ?? 0);
  }

  /**
   * A server is back: statuses must become current, that of a task launched now among them. Tasks that wait for the
   * controllers of Kubernetes, which come back in their own time, need not have gone on.
   */
  async isBack(): Promise<void> {
    this.#liftedAt = Date.now();
    await this.launch();
  }

  /** Of the tasks of this round. */
  resources = (): Promise<KubeObject[]> =>
    resourcesOf(
      this.#evidence,
      this.tasks.map(({ id }) => id),
    );

  /** Pods of a step of a task that run, or are in another phase. */
  async podsOf(id: string, step: string, phase = 'Running'): Promise<KubeObject[]> {
    const selector = `seqpanel.dev%2Ftask%3D${id},seqpanel.dev%2Fstep%3D${step}`;
    const path = `/api/v1/namespaces/${this.namespace}/pods?labelSelector=${selector}`;
    return (await this.kube.get(path)).items.filter(({ status }: KubeObject) => status.phase === phase);
  }

  path = (collectionOf: 'pods' | 'jobs', name: string): string =>
    `${collectionOf === 'pods' ? '/api/v1' : '/apis/batch/v1'}/namespaces/${this.namespace}/${collectionOf}/${name}`;

  /** Runs the fault and judges it. */
  async play(fault: FaultOf<this>, undisturbed: Results): Promise<RoundReport> {
    const from = Date.now();
    const report: Omit<RoundReport, 'took'> = { fault: fault.name, problems: [] };
    try {
      await fault.run(this);
      report.recovered = await this.#recover(fault.within);
      if (report.recovered > fault.within * this.patience)
        report.problems.push(`statuses were current after ${report.recovered.toFixed(1)} s, not ${fault.within} s`);
      await Promise.all(this.tasks.map(({ id }) => this.lab.ended(id, END_SECONDS * this.patience)));
      report.problems.push(...(await this.#settled(undisturbed)));
    } catch (error) {
      report.problems.push((error as Error).message);
    }
    for (const cleanUp of this.#cleanUps.reverse()) {
      try {
        await cleanUp();
      } catch (error) {
        report.problems.push(`afterwards: ${(error as Error).message}`);
      }
    }
    // What stays makes every list of the rounds to come longer. Of a task that did not end as it should it is evidence.
    if (report.problems.length === 0)
      for (const { id } of this.tasks)
        await this.kube.call('DELETE', `${collection('AnalysisTask', this.namespace)}/${id}`).catch(() => undefined);
    return { ...report, took: (Date.now() - from) / 1000 };
  }

  /** Waits until every task has gone on since the fault and all is current; the seconds that took. */
  async #recover(within: number): Promise<number> {
    const from = this.#liftedAt ?? Date.now();
    const deadline = Date.now() + (within * this.patience + 60) * 1000;
    while (Date.now() < deadline) {
      const went = await this.resources().catch(() => undefined);
      const goneOn = went?.every(({ metadata, status }) => {
        const before = this.#revisions.get(metadata.name);
        const over = ['Completed', 'Failed', 'Aborted'].includes(status?.phase);
        return before === undefined || over || (status?.revision ?? 0) > before;
      });
      if (goneOn && (await isCurrent(this.#evidence, this.tasks).catch(() => false))) return (Date.now() - from) / 1000;
      await wait(200);
    }
    throw new Error('statuses did not become current');
  }

  /** What is still wrong when the last intents and marks of the tasks' ends had time to arrive. */
  async #settled(undisturbed: Results): Promise<string[]> {
    const deadline = Date.now() + 15_000 * this.patience;
    for (;;) {
      const found = await violations(this.#evidence, this.tasks, undisturbed).catch((error: Error) => [error.message]);
      if (found.length === 0 || Date.now() > deadline) return found;
      await wait(300);
    }
  }
}
