import { expect, test } from '@jest/globals';
import { killRounds } from './kill-rounds.ts';

test('[K8S-29] a task survives a SIGKILL of any of our processes at any time, five times in a row', async () => {
  const reports = await killRounds({
    rounds: 5,
    seed: Number(process.env['SEQPANEL_KILL_SEED'] ?? Date.now() % 1_000_000),
  });
  expect(reports.filter((report) => report.problems.length > 0)).toEqual([]);
  expect(reports).toHaveLength(5);
}, 600_000);
