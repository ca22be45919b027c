import { reasonsOf } from './pool-reasons.ts';

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: `says ${reason}`,
});

test('what limits a pool comes first, what all pools say when all is well is left out', () => {
  expect(
    reasonsOf([
      condition('Ready', 'True', 'Served'),
      condition('Scaling', 'False', 'Steady'),
      condition('Limited', 'True', 'MaxReached'),
    ]),
  ).toEqual([
    { type: 'Limited', reason: 'MaxReached', message: 'says MaxReached', isWarning: true },
    { type: 'Scaling', reason: 'Steady', message: 'says Steady', isWarning: false },
  ]);
});

test('a pool that cannot be worked on says why; a reason that is not known keeps its message', () => {
  expect(
    reasonsOf([condition('Ready', 'False', 'TargetNotFound'), condition('Scaling', 'True', 'Something')]),
  ).toMatchObject([
    { reason: 'TargetNotFound', isWarning: true },
    { type: 'Scaling', reason: undefined, message: 'says Something', isWarning: false },
  ]);
});
