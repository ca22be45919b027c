import { aTask } from '../testing/builders.ts';
import { turnOf } from './turn.ts';

const started = (phase: 'Running' | 'Completed') =>
  aTask('t1', 'A')
    .withStep('reads', 'Running')
    .with((t) => Object.assign(t.status ?? {}, { phase, started: '2026-01-01T00:00:00Z' }));

test('a task that runs goes before one that starts and one that has ended; so does one that is to end', () => {
  expect(turnOf(undefined)).toBe('later');
  expect(turnOf(aTask('t1', 'A').build())).toBe('later');
  expect(turnOf(started('Running').build())).toBe('now');
  expect(turnOf(started('Completed').build())).toBe('later');
  expect(
    turnOf(
      aTask('t1', 'A')
        .with((t) => Object.assign(t.spec, { abort: true }))
        .build(),
    ),
  ).toBe('now');
});
