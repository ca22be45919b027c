/** The fault tables of docs/operations/faults.md: counts and the median time to recover. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../support/product.ts';
import type { FaultOf, SuiteReport } from './judged-round.ts';

export const DOCUMENT = join(ROOT, 'docs/operations/faults.md');

type Named = Pick<FaultOf<never>, 'name' | 'within'>;

export interface Row {
  fault: string;
  runs: number;
  ok: number;
  /** Median seconds from the end of the fault until all statuses were current. */
  recovered: number | undefined;
  /** Longest of these times. */
  longest: number | undefined;
  within: number;
}

/** Conditions of the runs, shown above the table. */
export interface Circumstances {
  /** Lowest number of runs of a fault, and whether some have more. */
  times: number;
  more: boolean;
  /** Factor of the time limits. */
  patience: number;
  /** Load average of the minute before the start. */
  load: number;
  processors: number;
}

/** Tables of the document by heading. */
export const TABLES = { simulated: 'Simulated nodes', real: 'A real node' } as const;

const ABOUT: Record<keyof typeof TABLES, string> = {
  simulated: `A real control plane (etcd, API server, controller manager, scheduler); Postgres, api and operators as processes, stage
pods as processes of test kubelets. Processes are killed at an exact request or statement, and clocks may jump.
\`npm test\` runs each fault once, some of them shorter.`,
  real: `The chart as helm installs it, on a real node (kubelet, containerd, kube-proxy) of one machine, its steps in real pods.`,
};

const TEXT = `# Faults

Results of the fault suite on a real Kubernetes: each fault, the number of runs and the number that succeeded. Written by
\`npm run test:faults -- 20\` and \`npm run test:faults -- 5 --real\`.

After every round one program compares the API server, Postgres and the storage: every task ended as expected, its rows
and calls equal those of an undisturbed run, no duplicate row, no Job twice or without its owner, each status in its row,
every change in the audit log once. *Recovered* is the time from the end of the fault until each status reports all ended
Jobs and each row has its status's revision. After an outage of a server this includes a task that is launched when the
server returns. The controllers of Kubernetes need up to a minute to recover from an outage.
`;

/** Returns a row per played fault, in the order of the faults. */
export function tally(faults: readonly Named[], { rounds }: SuiteReport): Row[] {
  return faults.flatMap(({ name, within }) => {
    const played = rounds.filter(({ fault }) => fault === name);
    if (played.length === 0) return [];
    const times = played.flatMap(({ recovered }) => (recovered === undefined ? [] : [recovered])).sort((a, b) => a - b);
    const ok = played.filter(({ problems }) => problems.length === 0).length;
    return [
      {
        fault: name,
        runs: played.length,
        ok,
        recovered: times[Math.floor(times.length / 2)],
        longest: times.at(-1),
        within,
      },
    ];
  });
}

const HEAD = '| fault | runs | ok | median s to recover | longest | at most s |\n|---|---|---|---|---|---|';

function lineOf({ fault, runs, ok, recovered, longest, within }: Row): string {
  const seconds = (value: number | undefined) => value?.toFixed(1) ?? '';
  return `| ${fault} | ${runs} | ${ok} | ${seconds(recovered)} | ${seconds(longest)} | ${within} |`;
}

export const formatTable = (rows: readonly Row[]): string => [HEAD, ...rows.map(lineOf)].join('\n');

const headerOf = ({ times, more, patience, load, processors }: Circumstances): string =>
  `${times === 1 ? 'Once' : `${times} times`} each${more ? ' or more' : ''}, limits of time ${patience === 1 ? 'as they stand' : `stretched ${patience} times`}; ` +
  `load of the machine at the start ${load.toFixed(1)} on ${processors} processors.`;

/** Returns the text below a heading. */
const sectionOf = (text: string, table: keyof typeof TABLES): string =>
  text.split(/^## /m).find((section) => section.startsWith(`${TABLES[table]}\n`)) ?? '';

/** Runs per fault and stretch of time limits of an existing table. */
function standing(section: string): { times: number; patience: number } | undefined {
  const header =
    /^(Once|(\d+) times) each(?: or more)?, limits of time (?:as they stand|stretched ([\d.]+) times)/m.exec(section);
  return header ? { times: Number(header[2] ?? 1), patience: Number(header[3] ?? 1) } : undefined;
}

/**
 * Returns the document with this table; undefined if it has a fuller one of the same faults: more runs, or as many
 * with stricter time limits.
 */
export function withTable(
  text: string,
  table: keyof typeof TABLES,
  rows: readonly Row[],
  of: Circumstances,
): string | undefined {
  const before = standing(sectionOf(text, table));
  const same = rows.every(({ fault }) => sectionOf(text, table).includes(`| ${fault} |`));
  if (before && same && (before.times > of.times || (before.times === of.times && before.patience < of.patience)))
    return undefined;
  const sections = (Object.keys(TABLES) as (keyof typeof TABLES)[]).map((name) => {
    if (name === table) return `${TABLES[name]}\n\n${ABOUT[name]}\n\n${headerOf(of)}\n\n${formatTable(rows)}\n`;
    return sectionOf(text, name);
  });
  return [TEXT, ...sections.filter((section) => section !== '').map((section) => `## ${section.trimEnd()}\n`)].join(
    '\n',
  );
}

/**
 * Returns the document with these rows instead of those of the same faults; undefined if its table has more runs or
 * stricter time limits.
 */
export function withRows(
  text: string,
  table: keyof typeof TABLES,
  rows: readonly Row[],
  of: Pick<Circumstances, 'times' | 'patience'>,
): string | undefined {
  const section = sectionOf(text, table);
  const before = standing(section);
  if (!before || !section.includes(HEAD) || before.times > of.times || before.patience < of.patience) return undefined;
  const lines = section.split('\n').map((line) => {
    const row = rows.find(({ fault }) => line.startsWith(`| ${fault} |`));
    return row ? lineOf(row) : line;
  });
  return text.replace(section, () => lines.join('\n'));
}

/** Writes the table or some of its rows into the document, or reports why not. */
export function writeTable(
  table: keyof typeof TABLES,
  rows: readonly Row[],
  of: Circumstances,
  into: typeof withTable | typeof withRows,
): void {
  const text = into(existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '', table, rows, of);
  if (text === undefined) {
    console.log(`A fuller table stands in ${DOCUMENT}, which is left as it is.`);
    return;
  }
  mkdirSync(dirname(DOCUMENT), { recursive: true });
  writeFileSync(DOCUMENT, text);
}
