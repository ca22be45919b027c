import { planAdmission } from './admission-plan.ts';
import type { Candidate } from './candidate.ts';
import { needsUpdate, waitOf } from './waiting.ts';

const task = (group: string, n: number, more: Partial<Candidate> = {}): Candidate => ({
  key: `${group}${n}`,
  group,
  uid: `${group}${n}`,
  created: `2026-01-01T00:00:${String(n).padStart(2, '0')}Z`,
  started: false,
  ending: false,
  wants: 1,
  allowed: 0,
  active: 0,
  settled: 0,
  leaving: 0,
  ...more,
});
const running = { started: true, job: 'j', wants: 2, allowed: 2, active: 2, settled: 2 };

test('the group’s own limit is reported before that of all groups', () => {
  const plan = planAdmission([task('a', 1, running), task('a', 2), task('a', 3)], {
    groupPods: 2,
    totalPods: 2,
    groupWeights: {},
  });
  expect(waitOf(plan, 'a', 'a1')).toBeUndefined();
  expect(waitOf(plan, 'a', 'a3')).toEqual({
    reason: 'GroupAtLimit',
    message: 'The group is at its limit of 2 running pods. 1 task starts first, 0 of them from other groups.',
  });
});

test('tasks of other groups whose turn comes before are counted', () => {
  const all = [task('a', 1, running), task('b', 1, running), ...[2, 3, 4].flatMap((n) => [task('a', n), task('b', n)])];
  const plan = planAdmission(all, { groupPods: 0, totalPods: 4, groupWeights: {} });
  expect(waitOf(plan, 'a', 'a2')?.message).toBe(
    'All groups together are at the limit of 4 running pods. 0 tasks start first, 0 of them from other groups.',
  );
  expect(waitOf(plan, 'b', 'b4')).toEqual({
    reason: 'ClusterAtLimit',
    message:
      'All groups together are at the limit of 4 running pods. 5 tasks start first, 3 of them from other groups.',
  });
});

test.each([
  [undefined, 8, true],
  [8, 8, false],
  [8, 5, false],
  [8, 4, true],
  [8, 15, false],
  [8, 16, true],
  [1, 0, true],
  [0, 0, false],
])('a wait behind %p tasks that is now behind %p is worth a write: %p', (before, now, worth) => {
  const message = (n: number) =>
    `x ${n} ${n === 1 ? 'task starts' : 'tasks start'} first, 0 of them from other groups.`;
  const known =
    before === undefined
      ? undefined
      : {
          type: 'Admitted',
          status: 'False' as const,
          lastTransitionTime: '',
          reason: 'Turn',
          message: message(before),
        };
  expect(needsUpdate(known, { reason: 'Turn', message: message(now) })).toBe(worth);
});

test('another reason needs an update', () => {
  const known = {
    type: 'Admitted',
    status: 'False' as const,
    lastTransitionTime: '',
    reason: 'Turn',
    message: '1 task starts first',
  };
  expect(needsUpdate(known, { reason: 'GroupAtLimit', message: '1 task starts first' })).toBe(true);
});
