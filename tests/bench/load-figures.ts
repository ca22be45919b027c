/** The figures of the load bench: prints them, compares them with their limits and writes docs/operations/load.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TaskRun } from './load-run.ts';
import { quantile, STEPS } from './load-world.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/operations/load.md');

const LIMIT = { ratio: 0.7, idleMs: 250, loadMs: 1000, writesPerStep: 6, memoryMb: 300, slope: 0.25 };
/** Length of the longest bar, in characters. */
const BAR_MAX = 60;

const ms = (value: number): string => `${Math.round(value)} ms`;

export class Figures {
  readonly #runs: TaskRun[] = [];
  /** Rows of the table of rates. */
  readonly #rates: string[] = [];
  readonly #lines: string[] = [];
  readonly #missed: string[] = [];

  #say(line: string): void {
    console.log(line);
    this.#lines.push(line);
  }

  #judge(what: string, reached: boolean): string {
    if (!reached) this.#missed.push(what);
    return reached ? '' : ' MISSED';
  }

  /** p50 and p99 of the three waits. The first two have limits. */
  #reactions(title: string, runs: readonly TaskRun[], limit: number): void {
    const rows = [
      ['end of a Job to the status', runs.flatMap((run) => run.toStatus), limit],
      ['end of a Job to the next Job', runs.flatMap((run) => run.toNextJob), limit],
      [
        "the Job controller's own: end of the last pod to the end of the Job",
        runs.flatMap((run) => run.ofJobController),
      ],
    ] as const;
    for (const [what, values, most] of rows) {
      const p99 = quantile(values, 0.99);
      const verdict = most === undefined ? '' : `, at most ${most} ms${this.#judge(`${title}: ${what}`, p99 <= most)}`;
      this.#say(`| ${title}: ${what} | ${values.length} | ${ms(quantile(values, 0.5))} | ${ms(p99)}${verdict} |`);
    }
  }

  idle(runs: readonly TaskRun[]): void {
    this.#say('| wait | n | p50 | p99 |');
    this.#say('|---|---|---|---|');
    this.#reactions('idle', runs, LIMIT.idleMs);
  }

  /** A size, and the rates of a plain client before and after it, Jobs a second. */
  tasks(run: TaskRun, plain: number): void {
    this.#runs.push(run);
    const rate = (run.tasks * STEPS.length) / run.seconds;
    const reached = this.#judge(`rate of ${run.tasks} tasks`, rate / plain >= LIMIT.ratio);
    this.#rates.push(
      `| ${run.tasks} | ${plain.toFixed(1)} | ${rate.toFixed(1)} | ${(rate / plain).toFixed(2)}, at least ${LIMIT.ratio}${reached} |`,
    );
    console.log(this.#rates.at(-1));
    this.#judge(`${run.tasks} tasks: ${run.duplicates} Jobs twice`, run.duplicates === 0);
  }

  wide(run: TaskRun): void {
    const largest = this.#runs.at(-1)!;
    this.#reactions(`${largest.tasks} tasks of 1 sample`, [largest], LIMIT.loadMs);
    this.#reactions(`${run.tasks} tasks of ${run.samples} samples`, [run], LIMIT.loadMs);
    this.#say('');
    this.#judge(`${run.tasks} wide tasks: ${run.duplicates} Jobs twice`, run.duplicates === 0);
    this.#say(
      `${run.tasks} tasks of ${run.samples} samples: ${run.seconds.toFixed(1)} s, ${run.duplicates} Jobs twice, none stuck.`,
    );
    this.#writes(largest);
    this.#writes(run);
  }

  memory({ tasks, samples }: { tasks: number; samples: number }, megabytes: number): void {
    const reached = this.#judge('memory', megabytes < LIMIT.memoryMb);
    this.#say(
      `The operator with ${tasks} tasks of ${samples} samples: ${Math.round(megabytes)} MB, at most ${LIMIT.memoryMb} MB${reached}.`,
    );
  }

  /** Reports missed limits and writes the document if requested. */
  conclude(write: boolean): readonly string[] {
    this.#say('\n| tasks | Jobs a second of a plain client | of tasks | ratio |\n|---|---|---|---|');
    for (const row of this.#rates) this.#say(row);
    this.#say('');
    const perTask = this.#runs.map((run) => run.seconds / run.tasks);
    const slope = Math.max(...perTask) / Math.min(...perTask) - 1;
    const linear = this.#judge('linear', slope <= LIMIT.slope);
    this.#say(
      `Seconds a task differ by ${Math.round(slope * 100)} % between ${this.#runs.map(({ tasks }) => tasks).join(', ')} tasks, at most ${LIMIT.slope * 100} %${linear}.`,
    );
    const plot = this.#plot();
    console.log(plot);
    if (write) {
      mkdirSync(dirname(DOCUMENT), { recursive: true });
      writeFileSync(DOCUMENT, `${TEXT}${this.#lines.join('\n')}\n\n\`\`\`\n${plot}\n\`\`\`\n`);
    }
    console.log(this.#missed.length === 0 ? 'load: all figures reached' : `load: MISSED ${this.#missed.join('; ')}`);
    return this.#missed;
  }

  #writes({ tasks, samples, writes, events, unexpired }: TaskRun): void {
    const steps = tasks * STEPS.length;
    const all = { ...writes, 'POST events': events, 'PATCH jobs afterwards': unexpired };
    const total = Object.values(all).reduce((sum, n) => sum + n, 0);
    const each = Object.entries(all).map(([what, n]) => `${what} ${(n / steps).toFixed(2)}`);
    const reached = this.#judge('writes', total / steps <= LIMIT.writesPerStep);
    this.#say(
      `Writes per step of ${tasks} tasks of ${samples}: ${(total / steps).toFixed(2)}, at most ${LIMIT.writesPerStep}${reached} (${each.join(', ')}).`,
    );
  }

  #plot(): string {
    const most = Math.max(...this.#runs.map(({ seconds }) => seconds));
    return this.#runs
      .map(({ tasks, seconds }) => {
        const bar = '#'.repeat(Math.max(1, Math.round((seconds / most) * BAR_MAX)));
        return `${String(tasks).padStart(5)} tasks  ${seconds.toFixed(0).padStart(4)} s  ${bar}`;
      })
      .join('\n');
  }
}

const TEXT = `# Load

Many tasks at once on a real control plane (etcd, API server, controller manager, scheduler) on one machine with two
cores. kwok simulates 100 nodes, whose pods end at once. Written by \`npm run bench:load\`. A task has five Jobs, one per
stage. The API server counts writes; the operator counts events, because others write events too. Jobs get their time to
live (10 minutes) 5 minutes after their end; that is the write "afterwards".

Each number of tasks runs on its own control plane. Before it, a plain client makes the same Jobs at once, with the
operator's rights and watches. The plain client is measured again afterwards on a new control plane; the mean counts.

`;
