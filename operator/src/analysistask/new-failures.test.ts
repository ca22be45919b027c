import { aTask } from '../testing/task-builders.ts';
import { newFailures } from './new-failures.ts';

const running = aTask('t1', 'A', 'B').withStep('reads', 'Running').build().status ?? {};
const bad = (sample: string | undefined, code: string) => ({
  ...(sample && { sample }),
  step: 'cohort',
  code,
  message: '',
});

test('a failed step is counted once, with the code of its failure', () => {
  const failed = aTask('t1', 'A', 'B').withStep('cohort', 'Failed').build().status ?? {};
  const next = { ...failed, failures: [bad('A', 'not_gzip'), bad(undefined, 'frozen_mismatch')] };
  expect(newFailures(running, next)).toEqual({
    steps: [{ stage: 'secondary', step: 'cohort', code: 'frozen_mismatch' }],
    samples: [{ step: 'cohort', code: 'not_gzip' }],
  });
  expect(newFailures(next, next)).toEqual({ steps: [], samples: [] });
});

test('a step without remaining samples and a rejected task have their own codes', () => {
  const none = aTask('t1', 'A').withStep('reads', 'Failed', { reason: 'NoSampleLeft' }).build().status ?? {};
  expect(newFailures(running, none).steps).toEqual([{ stage: 'secondary', step: 'reads', code: 'no_sample_left' }]);
  const conditions = [
    { type: 'Failed', status: 'True' as const, reason: 'PipelineDisabled', message: '', lastTransitionTime: '' },
  ];
  expect(newFailures(undefined, { phase: 'Failed', conditions })).toEqual({
    steps: [],
    samples: [],
    refused: 'PipelineDisabled',
  });
});
