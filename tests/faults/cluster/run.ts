/**
 * npm run test:faults -- [times] [pattern of names]: plays every fault that often, prints a line a round and a table at
 * the end, writes the table to docs/operations/faults.md when all faults were played, and ends with
 * `N passed, N failed`. SEQPANEL_FAULTS_PATIENCE=3 allows three times the time, for a machine that is busy with other things.
 */
import { findBinaries } from '../../cluster/binaries.ts';
import { playFaults } from './suite.ts';
import { formatTable, tally, writeTable } from './table.ts';

const found = findBinaries();
if ('skipped' in found) {
  console.error(found.skipped);
  process.exit(3);
}
const patience = Number(process.env['SEQPANEL_FAULTS_PATIENCE'] ?? 1);
const times = Number(process.argv[2] ?? 20);
const only = process.argv[3] === undefined ? undefined : new RegExp(process.argv[3]);
const report = await playFaults({
  binaries: found,
  times,
  long: true,
  patience,
  ...(only && { only }),
  onRound: ({ fault, problems, recovered }) =>
    console.log(
      `${problems.length === 0 ? 'ok    ' : 'FAILED'} ${fault} (${recovered?.toFixed(1) ?? '-'} s) ${problems.join('; ')}`,
    ),
});
const rows = tally(report);
console.log(`\n${formatTable(rows)}`);
for (const { fault, reason } of report.skipped) console.log(`skipped: ${fault}: ${reason}`);
if (!only) writeTable(rows, times, patience);
const failed = report.rounds.filter(({ problems }) => problems.length > 0).length;
console.log(`${report.rounds.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
