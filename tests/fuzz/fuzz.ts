/**
 * npm run fuzz -- [calls] [seed]: requests to an api process of its own. Ends with `N passed, N failed`. API_ARGS are
 * options of node for the api, such as --max-old-space-size=150.
 */
import { runFuzz } from './run-fuzz.ts';

const MiB = 1024 * 1024;
const calls = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
console.log(`seed ${seed}`);
let printed = 0;
const report = await runFuzz({
  calls,
  seed,
  maxFailures: 100,
  progress: ({ calls: done, failures, residentBytes }) => {
    for (const failure of failures.slice(printed)) console.log(`\n${failure}\n`);
    printed = failures.length;
    if (done % 2_500 === 0)
      console.log(`${done} calls, ${failures.length} failures, RSS ${Math.round(residentBytes.after / MiB)} MiB`);
  },
});
const { before, after } = report.residentBytes;
console.log(`statuses ${JSON.stringify(report.statuses)}`);
console.log(`operations without a success: ${report.untouched.join(' ')}`);
console.log(
  `slowest ${Math.round(report.slowestMs)} ms; RSS ${Math.round(before / MiB)} MiB, then ${Math.round(after / MiB)} MiB`,
);
console.log(`${report.calls} passed, ${report.failures.length} failed`);
process.exit(report.failures.length === 0 ? 0 : 1);
