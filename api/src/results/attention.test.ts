import { failedSample, pairFinding, qcFinding } from './attention.ts';

const finding = { name: 'S1', metric: 'mean_depth', value: 65, operator: '>=', threshold: 100 };

test('a failed sample is reported with its message, or with its code when it has none', () => {
  const item = failedSample({ name: 'S1', failure: { code: 'out_of_memory', message: '' } });
  expect(item).toMatchObject({ code: 'sample_failed', params: { sample: 'S1', reason: 'out_of_memory' } });
});

test.each([
  ['mismatch', ['pair_mismatch']],
  ['pair_incomplete', ['pair_incomplete']],
  ['match', []],
  ['.', []],
  [null, []],
])('a pair with the verdict %s gives %j and names the pair', (verdict, codes) => {
  const items = pairFinding({ pair: 'p1', verdict });
  expect(items.map(({ code, params }) => [code, params])).toEqual(codes.map((code) => [code, { pair: 'p1' }]));
});

test.each([
  ['mean_depth', 'fail', [['qc_failed', 'danger']]],
  ['mean_depth', 'warn', [['qc_warned', 'warning']]],
  ['ntc_amplicons_over', 'fail', [['ntc_failed', 'danger']]],
  ['mean_depth', 'pass', []],
  ['mean_depth', 'not_assessed', []],
] as const)('%s with the verdict %s gives %j', (metric, verdict, expected) => {
  expect(qcFinding({ ...finding, metric, verdict }).map(({ code, level }) => [code, level])).toEqual(expected);
});
