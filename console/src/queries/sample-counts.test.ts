import { isPartlyFailed, sampleCounts } from './sample-counts.ts';

const samples = { total: 10, done: 3, running: 2, failed: 1, incomplete: 1 };

test('done, running, failed and waiting samples add up to all samples of the task', () => {
  expect(sampleCounts({ samples, qc: { pass: 0, warn: 0, fail: 0 } })).toEqual({
    total: 10,
    done: 3,
    running: 2,
    failed: 1,
    waiting: 4,
    passed: 0,
    unassessed: 3,
  });
});

test('a sample with a QC warning passes, and the total includes failed samples', () => {
  const counts = sampleCounts({
    samples: { total: 2, done: 1, running: 0, failed: 1, incomplete: 1 },
    qc: { pass: 0, warn: 1, fail: 0 },
  });
  expect(counts).toMatchObject({ total: 2, passed: 1, waiting: 0, unassessed: 0 });
});

test.each([
  ['completed', 1, true],
  ['completed', 0, false],
  ['running', 1, false],
  ['failed', 1, false],
] as const)('a %s task with %d failed samples is partly failed: %s', (status, failed, expected) => {
  expect(isPartlyFailed({ status, samples: { ...samples, failed } })).toBe(expected);
});
