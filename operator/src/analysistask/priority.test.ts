import { aTask } from '../testing/task-builders.ts';
import { priorityOf } from './priority.ts';

const started = (phase: 'Running' | 'Completed') =>
  aTask('t1', 'A')
    .withStep('reads', 'Running')
    .with((t) => Object.assign(t.status ?? {}, { phase, started: '2026-01-01T00:00:00Z' }));

test('running tasks and tasks to abort go before tasks that start or have ended', () => {
  expect(priorityOf(undefined)).toBe('later');
  expect(priorityOf(aTask('t1', 'A').build())).toBe('later');
  expect(priorityOf(started('Running').build())).toBe('now');
  expect(priorityOf(started('Completed').build())).toBe('later');
  expect(
    priorityOf(
      aTask('t1', 'A')
        .with((t) => Object.assign(t.spec, { abort: true }))
        .build(),
    ),
  ).toBe('now');
});
