/** Plays every fault once. `npm run test:faults -- 20` plays them longer and more often. */
import { readFileSync } from 'node:fs';
import { describeOnCluster } from '../../cluster/binaries.ts';
import type { SuiteReport } from './judged-round.ts';
import { FAULTS, playFaults } from './suite.ts';
import { DOCUMENT, type Row, withRows, withTable } from './table.ts';

const MINUTES = 20;

describeOnCluster('faults on a real control plane', (binaries) => {
  let report: SuiteReport;
  beforeAll(async () => {
    report = await playFaults({ binaries, times: 1, long: false, patience: 4 });
    for (const { fault, reason } of report.skipped) process.stderr.write(`skipped: ${fault}: ${reason}\n`);
  }, MINUTES * 60_000);

  test('[K8S-26] [K8S-27] [K8S-29] through each fault every task ends as in an undisturbed run', () => {
    const failed = report.rounds.filter(({ problems }) => problems.length > 0);
    expect(failed).toEqual([]);
  });

  test('every fault was played, or skipped with a reason', () => {
    const done = [...report.rounds, ...report.skipped].map(({ fault }) => fault);
    expect(done.sort()).toEqual(FAULTS.map(({ name }) => name).sort());
  });
});

test('the table in the documentation has every fault', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  expect(FAULTS.filter(({ name }) => !text.includes(`| ${name} |`)).map(({ name }) => name)).toEqual([]);
});

describe('a table is written into the documentation', () => {
  const row = (fault: string, runs: number): Row => ({ fault, runs, ok: runs, recovered: 1, longest: 2, within: 10 });
  const of = (times: number, patience = 1) => ({ times, more: false, patience, load: 0.5, processors: 2 });
  const twice = withTable('', 'simulated', [row('one', 2)], of(2))!;

  test('next to the other table, which is unchanged', () => {
    const both = withTable(twice, 'real', [row('pod', 5)], of(5))!;
    expect(both).toContain('| one | 2 | 2 | 1.0 | 2.0 | 10 |');
    expect(both).toContain('| pod | 5 | 5 | 1.0 | 2.0 | 10 |');
    expect(withTable(both, 'simulated', [row('one', 3)], of(3))).toBe(
      both.replace('| one | 2 | 2', '| one | 3 | 3').replace('2 times', '3 times'),
    );
  });

  test('with the number of runs, the stretch of time limits and the load of the machine', () => {
    expect(twice).toContain('2 times each, limits of time as they stand; load of the machine at the start 0.5 on 2');
    expect(withTable('', 'real', [row('pod', 1)], of(1, 4))).toContain('Once each, limits of time stretched 4 times;');
  });

  test('or some of its rows, with as many runs and the same time limits', () => {
    const both = withTable('', 'simulated', [row('one', 2), row('two', 2)], of(2))!;
    const again = { ...row('two', 3), longest: 4 };
    expect(withRows(both, 'simulated', [again], of(3))).toBe(
      both.replace('| two | 2 | 2 | 1.0 | 2.0', '| two | 3 | 3 | 1.0 | 4.0'),
    );
    expect(withRows(both, 'simulated', [row('two', 1)], of(1))).toBeUndefined();
    expect(withRows(both, 'simulated', [row('two', 2)], of(2, 3))).toBeUndefined();
    expect(withRows(both, 'real', [row('two', 2)], of(2))).toBeUndefined();
  });

  test('unless the existing table of the same faults is fuller', () => {
    expect(withTable(twice, 'simulated', [row('one', 1)], of(1))).toBeUndefined();
    expect(withTable(twice, 'simulated', [row('one', 2)], of(2, 3))).toBeUndefined();
    expect(withTable(twice, 'simulated', [row('one', 2)], of(2))).toBe(twice);
    const more = withTable('', 'simulated', [row('one', 3)], { ...of(2), more: true })!;
    expect(more).toContain('2 times each or more, limits of time as they stand;');
    expect(withTable(more, 'simulated', [row('one', 1)], of(1))).toBeUndefined();
    expect(withTable(twice, 'simulated', [row('new', 1)], of(1))).toContain('| new | 1 |');
  });
});
