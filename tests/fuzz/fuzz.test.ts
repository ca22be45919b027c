import { beforeAll, expect, test } from '@jest/globals';
import { type FuzzReport, runFuzz } from './run-fuzz.ts';

/** 100,000 on demand: npm run fuzz -- 100000 */
const CALLS = Number(process.env['SEQPANEL_TEST_FUZZ'] ?? 2_000);
/** A fixed seed; npm run fuzz uses others. */
const SEED = Number(process.env['SEQPANEL_TEST_SEED'] ?? 7);
/** A leak of 20 kB per call would exceed it within 10,000 calls. */
const GROWTH_BYTES = 192 * 1024 * 1024;

let report: FuzzReport;
beforeAll(async () => {
  report = await runFuzz({ calls: CALLS, seed: SEED });
}, 3_600_000);

test('no request breaks the api, and every answer matches the document', () => {
  expect(report.failures.join('\n\n')).toBe('');
  expect(report.calls).toBe(CALLS);
});

test('many of the requests succeed', () => {
  const carriedOut = Object.entries(report.statuses).filter(([status]) => /^2/.test(status));
  const count = carriedOut.reduce((sum, [, calls]) => sum + calls, 0);
  expect(count / report.calls).toBeGreaterThan(0.2);
});

test('the memory of the process stays flat', () => {
  expect(report.residentBytes.after - report.residentBytes.before).toBeLessThan(GROWTH_BYTES);
});
