import { aJob, anInput, aTask, NOW } from '../testing/builders.ts';
import { stepOf } from '../testing/decisions.ts';
import { decide } from './decide.ts';

describe('writes', () => {
  const task = aTask('t1', 'A', 'B').withStep('reads', 'Running', {
    samples: { total: 2, done: 0, failed: 0 },
  });
  const first = decide(anInput(task, [aJob('t1', 'reads', [0, 1])])).status;
  const settled = () => aTask('t1', 'A', 'B').with((t) => Object.assign(t, { status: structuredClone(first) }));

  test('progress is written at most every 5 seconds, and asked for again when its time has come', () => {
    const job = aJob('t1', 'reads', [0, 1]).with({ completed: [0] });
    const soon = decide(anInput(settled(), [job], [], { lastWrite: NOW - 4_000 }));
    expect(soon.status).toEqual(first);
    expect(soon.requeueAfterMs).toBe(1_000);
    const later = decide(anInput(settled(), [job], [], { lastWrite: NOW - 5_000 }));
    expect(stepOf(later, 'reads')?.samples).toMatchObject({ done: 1, finished: '0' });
    expect(later.status.revision).toBe((first.revision ?? 0) + 1);
  });

  test('a transition is written at once', () => {
    const job = aJob('t1', 'reads', [0, 1]).ended();
    expect(decide(anInput(settled(), [job], [], { lastWrite: NOW - 1 })).status.revision).toBe(
      (first.revision ?? 0) + 1,
    );
  });
});
