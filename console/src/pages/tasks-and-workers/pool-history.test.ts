import { hasMaximum, hourTicks, nodeTicks, stepsOf, topOf } from './pool-history.ts';

const now = new Date('2026-11-01T12:30:00Z');

test('the steps cover the 6 hours: the earlier number at the beginning, the last one until now', () => {
  const history = [
    { at: '2026-11-01T02:00:00Z', desired: 1, ready: 1 },
    { at: '2026-11-01T09:00:00Z', desired: 3, ready: 1 },
  ];
  expect(stepsOf(history, now)).toEqual([
    { at: new Date('2026-11-01T06:30:00Z'), desired: 1, ready: 1 },
    { at: new Date('2026-11-01T09:00:00Z'), desired: 3, ready: 1 },
    { at: now, desired: 3, ready: 1 },
  ]);
  expect(stepsOf([], now)).toEqual([]);
});

test('the axes count whole nodes and full hours', () => {
  expect(nodeTicks(3)).toEqual([0, 1, 2, 3]);
  expect(nodeTicks(1000)).toEqual([0, 200, 400, 600, 800, 1000]);
  expect(hourTicks(now).map((tick) => tick.toISOString().slice(11, 16))).toEqual([
    '07:00',
    '08:00',
    '09:00',
    '10:00',
    '11:00',
    '12:00',
  ]);
});

test('the maximum is drawn when it is near the number of nodes', () => {
  const steps = [{ at: now, desired: 3, ready: 1 }];
  expect([hasMaximum(steps, 6), topOf(steps, 6)]).toEqual([true, 6]);
  expect([hasMaximum(steps, 7), topOf(steps, 7)]).toEqual([false, 3]);
  expect(topOf([], 0)).toBe(1);
});
