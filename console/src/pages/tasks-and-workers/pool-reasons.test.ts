import { reasonsOf } from './pool-reasons.ts';

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: `says ${reason}`,
});

test('warnings of a pool come first, conditions without a problem are omitted', () => {
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

test('a pool that cannot be scaled shows the reason; an unknown reason shows its message', () => {
  expect(
    reasonsOf([condition('Ready', 'False', 'TargetNotFound'), condition('Scaling', 'True', 'Something')]),
  ).toMatchObject([
    { reason: 'TargetNotFound', isWarning: true },
    { type: 'Scaling', reason: undefined, message: 'says Something', isWarning: false },
  ]);
});
