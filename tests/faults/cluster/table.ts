/** The fault table: counts and the median time to recover, as docs/operations/faults.md shows them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/product.ts';
import { FAULTS, type SuiteReport } from './suite.ts';

export const DOCUMENT = join(ROOT, 'docs/operations/faults.md');

export interface Row {
  fault: string;
  runs: number;
  ok: number;
  /** Median seconds from the end of the fault until all statuses were current. */
  recovered: number | undefined;
  within: number;
}

/** A row for each fault that was played, in the order of the faults. */
export function tally({ rounds }: SuiteReport): Row[] {
  return FAULTS.flatMap(({ name, within }) => {
    const played = rounds.filter(({ fault }) => fault === name);
    if (played.length === 0) return [];
    const times = played.flatMap(({ recovered }) => (recovered === undefined ? [] : [recovered])).sort((a, b) => a - b);
    const ok = played.filter(({ problems }) => problems.length === 0).length;
    return [{ fault: name, runs: played.length, ok, recovered: times[Math.floor(times.length / 2)], within }];
  });
}

export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ fault, runs, ok, recovered, within }) =>
      `| ${fault} | ${runs} | ${ok} | ${recovered === undefined ? '' : recovered.toFixed(1)} | ${within} |`,
  );
  return ['| fault | runs | ok | median s to recover | at most s |', '|---|---|---|---|---|', ...lines].join('\n');
}

const TEXT = `# Faults

What was done to the product on a real control plane (etcd, API server, controller manager, scheduler; stage pods as
processes of test kubelets), how often, and how often it came through. Written by \`npm run test:faults\`; \`npm test\`
plays each fault once, some of them shorter.

After every round one program compares the API server, Postgres and the storage: every task ended as it should, its
rows and calls equal those of an undisturbed run, no row twice, no Job twice or without its owner, each status in its
row, every change in the audit log once. *Recovered* is the time from the end of the fault until each status tells of
all Jobs that have ended and each row is at its status's revision; where a server was
away, that of a task launched at its return among them. The controllers of Kubernetes come back from an outage in their
own time, up to a minute.

`;

/** `patience`: how many times the limits of time were allowed. */
export function writeTable(rows: readonly Row[], times: number, patience: number): void {
  mkdirSync(dirname(DOCUMENT), { recursive: true });
  const busy = patience === 1 ? '' : `, on a busy machine, with ${patience} times the time allowed`;
  writeFileSync(DOCUMENT, `${TEXT}${times === 1 ? 'Once' : `${times} times`} each${busy}:\n\n${formatTable(rows)}\n`);
}
