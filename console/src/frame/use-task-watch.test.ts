import i18next from 'i18next';
import { startI18n } from '../i18n/i18n.ts';
import { endNotification } from './use-task-watch.ts';

beforeAll(() => startI18n('en'));

const GROUP = 'g1';
const task = {
  id: 't1',
  name: 'run-1',
  status: 'completed' as const,
  samples: { total: 2, done: 2, running: 0, failed: 0, incomplete: 0 },
  qc: { pass: 2, warn: 0, fail: 0 },
  reason: null,
};

test('a completed task gets a notification in the section tasks, with a link to it in its group', () => {
  expect(endNotification(i18next.t, 'en', task, GROUP)).toEqual({
    id: 'task-t1',
    section: 'tasks',
    variant: 'success',
    title: 'Task run-1 completed.',
    link: { to: '/secondary-analysis/tasks/t1?group=g1', text: 'Open the task' },
  });
});

test('a task that completed with a failed sample gets a warning with both counts', () => {
  const partly = { ...task, samples: { ...task.samples, done: 1, failed: 1 } };
  expect(endNotification(i18next.t, 'en', partly, GROUP)).toMatchObject({
    variant: 'warning',
    title: 'Task run-1 completed, 1 of 2 samples failed.',
  });
});

test('a failed task gets an error with its reason', () => {
  const failed = { ...task, status: 'failed' as const, reason: 'reads, sample S1: truncated gzip file' };
  expect(endNotification(i18next.t, 'en', failed, GROUP)).toMatchObject({
    variant: 'danger',
    title: 'Task run-1 failed.',
    body: 'reads, sample S1: truncated gzip file',
  });
});

test('a running task gets no notification', () => {
  expect(endNotification(i18next.t, 'en', { ...task, status: 'running' }, GROUP)).toBeUndefined();
});
