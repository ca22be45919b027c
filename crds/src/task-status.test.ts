import { isEnded, isOpen, TASK_STATUSES } from './task-status.ts';

test.each([
  ['queued', true, false],
  ['starting', true, false],
  ['running', true, false],
  ['completed', false, true],
  ['aborted', false, true],
  ['failed', false, true],
  ['no_status', false, false],
])('%s is open: %s, is ended: %s', (status, open, ended) => {
  expect([isOpen(status), isEnded(status)]).toEqual([open, ended]);
});

test('states are listed in the order in which a task has them', () => {
  expect(TASK_STATUSES).toEqual(['queued', 'starting', 'running', 'completed', 'aborted', 'failed']);
});
