import { idleState } from './idle.ts';

const MIN = 60_000;

test('[AUTH-20] without a stored timeout a session ends after 30 minutes (1,800,000 ms) without activity', () => {
  expect(idleState(1_799_999, 0, null).kind).toBe('warn');
  expect(idleState(1_800_000, 0, null).kind).toBe('over');
});

test('[AUTH-21] a stored timeout replaces the default', () => {
  expect(idleState(5 * MIN, 0, 5).kind).toBe('over');
  expect(idleState(30 * MIN, 0, 90).kind).toBe('active');
});

test('the last minute shows a warning with the remaining seconds', () => {
  expect(idleState(29 * MIN - 1, 0, null)).toEqual({ kind: 'active' });
  expect(idleState(29 * MIN, 0, null)).toEqual({ kind: 'warn', secondsLeft: 60 });
  expect(idleState(30 * MIN - 500, 0, null)).toEqual({ kind: 'warn', secondsLeft: 1 });
});

test('a timeout of one minute shows the warning in its second half', () => {
  expect(idleState(29_000, 0, 1).kind).toBe('active');
  expect(idleState(30_000, 0, 1)).toEqual({ kind: 'warn', secondsLeft: 30 });
});
