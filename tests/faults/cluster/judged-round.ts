/**
 * Plays one fault once: launches tasks, starts and ends the fault, and checks that the tasks end as undisturbed ones.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { KubeHttp, KubeObject } from '../../cluster/kube-http.ts';
import { collection } from '../../kubernetes-contract/builders.ts';
import { type Evidence, type ExpectedTask, isCurrent, type Results, resourcesOf, violations } from './invariants.ts';
import type { Laboratory } from './laboratory.ts';

/** A fault of the rounds of class R. */
export interface FaultOf<R> {
  /** Name in the table. */
  name: string;
  /** Limit of the time from the end of the fault until all statuses are current, seconds. */
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
  /** Reasons of faults that this machine cannot play. */
  skipped: { fault: string; reason: string }[];
}

export interface JudgedRoundOptions {
  name: string;
  lab: Laboratory;
  /** Factor of the time limits, which hold for an idle machine. */
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

  /** Runs at the end of the round in any case. */
  afterwards(cleanUp: () => Promise<unknown> | unknown): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Waits for a required event. */
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

  /** Marks the end of the fault: from now on statuses must become current and each task must progress. */
  async lifted(): Promise<void> {
    this.#liftedAt = Date.now();
    for (const { status, metadata } of await this.resources().catch(() => []))
      this.#revisions.set(metadata.name, status?.revision ?? 0);
  }

  /**
   * Marks that a server is back: statuses must become current, including that of a task launched now. Other tasks need
   * not progress, because they may wait for Kubernetes' controllers, which recover later.
   */
  async isBack(): Promise<void> {
    this.#liftedAt = Date.now();
    await this.launch();
  }

  /** Pods of the tasks of this round. */
  resources = (): Promise<KubeObject[]> =>
    resourcesOf(
      this.#evidence,
      this.tasks.map(({ id }) => id),
    );

  /** Returns the pods of a task's step in a phase, by default running. */
  async podsOf(id: string, step: string, phase = 'Running'): Promise<KubeObject[]> {
    const selector = `seqpanel.dev%2Ftask%3D${id},seqpanel.dev%2Fstep%3D${step}`;
    const path = `/api/v1/namespaces/${this.namespace}/pods?labelSelector=${selector}`;
    return (await this.kube.get(path)).items.filter(({ status }: KubeObject) => status.phase === phase);
  }

  path = (collectionOf: 'pods' | 'jobs', name: string): string =>
    `${collectionOf === 'pods' ? '/api/v1' : '/apis/batch/v1'}/namespaces/${this.namespace}/${collectionOf}/${name}`;

  /** Runs the fault and checks its outcome. */
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
    // Deletes the tasks, because they would make the lists of later rounds longer. Keeps tasks with problems as
    // evidence.
    if (report.problems.length === 0)
      for (const { id } of this.tasks)
        await this.kube.call('DELETE', `${collection('AnalysisTask', this.namespace)}/${id}`).catch(() => undefined);
    return { ...report, took: (Date.now() - from) / 1000 };
  }

  /** Waits until every task has progressed since the fault and all is current. Returns the seconds. */
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

  /** Returns the problems that remain after the last intents and annotations had time to arrive. */
  async #settled(undisturbed: Results): Promise<string[]> {
    const deadline = Date.now() + 15_000 * this.patience;
    for (;;) {
      const found = await violations(this.#evidence, this.tasks, undisturbed).catch((error: Error) => [error.message]);
      if (found.length === 0 || Date.now() > deadline) return found;
      await wait(300);
    }
  }
}
