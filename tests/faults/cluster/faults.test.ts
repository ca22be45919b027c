/** Every fault once; `npm run test:faults -- 20` plays them longer and more often. */
import { existsSync, readFileSync } from 'node:fs';
import { describeOnCluster } from '../../cluster/binaries.ts';
import { FAULTS, playFaults, type SuiteReport } from './suite.ts';
import { DOCUMENT } from './table.ts';

const MINUTES = 20;

describeOnCluster('faults on a real control plane', (binaries) => {
  let report: SuiteReport;
  beforeAll(async () => {
    report = await playFaults({ binaries, times: 1, long: false, patience: 4 });
    for (const { fault, reason } of report.skipped) process.stderr.write(`skipped: ${fault}: ${reason}\n`);
  }, MINUTES * 60_000);

  test('[K8S-26] [K8S-27] [K8S-29] through each fault every task ends as if nothing had happened', () => {
    const failed = report.rounds.filter(({ problems }) => problems.length > 0);
    expect(failed).toEqual([]);
  });

  test('every fault was played, or its reason not to be is told', () => {
    const done = [...report.rounds, ...report.skipped].map(({ fault }) => fault);
    expect(done.sort()).toEqual(FAULTS.map(({ name }) => name).sort());
  });
});

test('the table of faults in the documentation names each of them', () => {
  const text = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '';
  expect(FAULTS.filter(({ name }) => !text.includes(`| ${name} |`)).map(({ name }) => name)).toEqual([]);
});
