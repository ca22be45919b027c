import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { finishedParts } from './finished-parts.ts';

const status = {
  stages: [
    {
      name: 'secondary',
      steps: [
        { name: 'reads', state: 'Running', samples: { total: 4, done: 2, failed: 0, finished: '0,2' } },
        { name: 'qc', state: 'Pending' },
        { name: 'call', state: 'Succeeded', samples: { total: 4, done: 4, failed: 0 } },
      ],
    },
  ],
} as AnalysisTaskStatus;

test('results of samples are read when the status reports that their step has finished', () => {
  const parts = finishedParts(status, false);
  expect([0, 1, 2, 3].map((index) => parts.has('reads', index))).toEqual([true, false, true, false]);
  expect([parts.has('qc'), parts.has('call', 3)]).toEqual([false, true]);
});

test('all results are read at the end, and those of steps that the status does not mention', () => {
  expect(finishedParts(status, true).has('qc')).toBe(true);
  expect(finishedParts(status, false).has('post-filter')).toBe(true);
});
