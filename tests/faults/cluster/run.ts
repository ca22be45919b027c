/**
 * npm run test:faults -- [times] [--real] [pattern of names]: plays every fault that many times, on simulated nodes or
 * with --real on a real node with the chart installed. Prints a line per round and a table, and ends with `N passed, N
 * failed`. Writes the table, or the played rows, to docs/operations/faults.md unless it has fuller ones. After SIGTERM
 * no new round starts, and the table has the completed rounds. SEQPANEL_FAULTS_PATIENCE=3 triples the time limits for
 * a busy machine.
 */
import { availableParallelism, loadavg } from 'node:os';
import { findBinaries } from '../../cluster/binaries.ts';
import { whyNoNode } from '../../cluster/node/why-not.ts';
import { REAL_FAULTS } from '../real/faults.ts';
import { playRealFaults } from '../real/suite.ts';
import type { RoundReport } from './judged-round.ts';
import { FAULTS, playFaults } from './suite.ts';
import { formatTable, tally, withRows, withTable, writeTable } from './table.ts';

const real = process.argv.includes('--real');
const [given, pattern] = process.argv.slice(2).filter((arg) => arg !== '--real');
const times = Number(given ?? (real ? 5 : 20));
if (!Number.isInteger(times) || times < 1) throw new Error(`times: ${given} is no number of times`);
const patience = Number(process.env['SEQPANEL_FAULTS_PATIENCE'] ?? 1);
const found = findBinaries();
const reason = 'skipped' in found ? found.skipped : real ? whyNoNode() : undefined;
if ('skipped' in found || reason) {
  console.error(reason);
  process.exit(3);
}
const interrupted = new AbortController();
process.once('SIGTERM', () => interrupted.abort());
const circumstances = { patience, load: loadavg()[0]!, processors: availableParallelism() };
const options = {
  binaries: found,
  times,
  patience,
  until: interrupted.signal,
  ...(pattern !== undefined && { only: new RegExp(pattern) }),
  onRound: ({ fault, problems, recovered, took }: RoundReport) =>
    console.log(
      `${problems.length === 0 ? 'ok    ' : 'FAILED'} ${fault} (${recovered?.toFixed(1) ?? '-'} s, in all ${took.toFixed(0)} s) ${problems.join('; ')}`,
    ),
};
const began = Date.now();
const report = real ? await playRealFaults(options) : await playFaults({ ...options, long: true });
const faults = real ? REAL_FAULTS : FAULTS;
const rows = tally(faults, report);
console.log(`\n${formatTable(rows)}`);
for (const { fault, reason } of report.skipped) console.log(`skipped: ${fault}: ${reason}`);
const runs = rows.map((row) => row.runs);
const how = { ...circumstances, times: Math.min(...runs), more: Math.max(...runs) > Math.min(...runs) };
const isWhole = rows.length + report.skipped.length === faults.length;
writeTable(real ? 'real' : 'simulated', rows, how, isWhole ? withTable : withRows);
const failed = report.rounds.filter(({ problems }) => problems.length > 0).length;
console.log(`played in ${((Date.now() - began) / 60_000).toFixed(1)} minutes`);
console.log(`${report.rounds.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
