import { anInput } from '../testing/decision-input.ts';
import { stepOf } from '../testing/decisions.ts';
import { aJob } from '../testing/job-builders.ts';
import { aTask, NOW } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

describe('status writes', () => {
  /** The status after the first round of a step that has run for `ran` ms. */
  const firstOf = (ran: number) => {
    const started = new Date(NOW - ran).toISOString();
    const samples = { total: 2, done: 0, failed: 0 };
    const task = aTask('t1', 'A', 'B').withStep('reads', 'Running', { started, samples });
    return decide(anInput(task, [aJob('t1', 'reads', [0, 1])])).status;
  };
  const withStatus = (status: object) =>
    aTask('t1', 'A', 'B').with((t) => Object.assign(t, { status: structuredClone(status) }));

  test.each([
    ['of a short step every 5 seconds', 5_000, 5_000],
    ['of a longer one after a quarter of its run time', 60_000, 15_000],
    ['of a long one every 30 seconds', 3_600_000, 30_000],
  ])('progress is written %s, and asked for again when its time has come', (_, ran, pause) => {
    const first = firstOf(ran);
    const job = aJob('t1', 'reads', [0, 1]).with({ completed: [0] });
    const at = (ms: number) => ({ ...anInput(withStatus(first), [job], [], { lastWrite: NOW }), now: NOW + ms });
    const soon = decide(at(pause - 1_000));
    expect([soon.status, soon.requeueAfterMs]).toEqual([first, 1_000]);
    const later = decide(at(pause));
    expect(stepOf(later, 'reads')?.samples).toMatchObject({ done: 1, finished: '0' });
    expect(later.status.revision).toBe((first.revision ?? 0) + 1);
  });

  test('a transition is written immediately', () => {
    const first = firstOf(60_000);
    const job = aJob('t1', 'reads', [0, 1]).ended();
    expect(decide(anInput(withStatus(first), [job], [], { lastWrite: NOW - 1 })).status.revision).toBe(
      (first.revision ?? 0) + 1,
    );
  });
});
