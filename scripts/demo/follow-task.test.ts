import { expect, test } from '@jest/globals';
import { type FollowedTask, progressLine } from './follow-task.ts';

const task = (change: Partial<FollowedTask>): FollowedTask => ({
  id: 't',
  name: 'demo',
  status: 'running',
  stage: 'secondary',
  reason: null,
  samples: { total: 4, done: 1, failed: 0 },
  stages: [
    {
      name: 'secondary',
      state: 'Running',
      steps: [{ name: 'reads', state: 'Running', samples: { total: 4, done: 1, failed: 0 } }],
    },
    { name: 'annotation', state: 'Pending', steps: [] },
  ],
  failures: [],
  ...change,
});

test('the progress line names stage, step, samples done and elapsed seconds', () => {
  expect(progressLine(task({}), 7)).toBe('running · stage 1 of 2 secondary · step reads 1/4 samples · 7 s');
});

test('a task that has not started shows that it is waiting', () => {
  expect(progressLine(task({ status: 'queued', stage: null }), 0)).toBe('queued · waiting to start · 0 s');
});

test('failed samples are counted in the line', () => {
  expect(progressLine(task({ samples: { total: 4, done: 1, failed: 2 } }), 1)).toContain('2 failed');
});
