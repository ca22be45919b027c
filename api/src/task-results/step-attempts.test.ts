import type { AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { attemptsOf } from './step-attempts.ts';

const now = new Date('2026-01-01T01:00:00Z');
const started = '2026-01-01T00:00:00Z';
const of = (step: StepStatus): AnalysisTaskStatus => ({
  stages: [{ name: 'secondary', state: 'Running', steps: [step, { name: 'cohort', state: 'Pending' }] }],
});

describe('the attempts in a status', () => {
  test('a pending step has none, a running one has one without an end', () => {
    expect(attemptsOf(of({ name: 'reads', state: 'Running', attempt: 1, job: 't-reads-1', started }), now)).toEqual([
      {
        step: 'reads',
        attempt: 1,
        state: 'Running',
        reason: null,
        message: null,
        job: 't-reads-1',
        started: new Date(started),
        finished: null,
      },
    ]);
  });

  test('a retried step has the reason why its previous attempt ended', () => {
    const again = of({
      name: 'reads',
      state: 'Running',
      attempt: 3,
      job: 't-reads-3',
      started,
      reason: 'OOMKilled',
      message: '2 samples ran out of memory',
    });
    expect(attemptsOf(again, now)).toEqual([
      expect.objectContaining({ attempt: 1, state: 'Failed', reason: null, finished: now, started: new Date(started) }),
      expect.objectContaining({ attempt: 2, state: 'Failed', reason: 'OOMKilled', finished: now }),
      expect.objectContaining({ attempt: 3, state: 'Running', reason: null, message: null, started: now }),
    ]);
  });

  test('a permanently failed step keeps its own reason', () => {
    const failed = of({ name: 'reads', state: 'Failed', attempt: 2, started, finished: started, reason: 'StepFailed' });
    expect(attemptsOf(failed, now)).toEqual([
      expect.objectContaining({ attempt: 1, state: 'Failed', reason: null }),
      expect.objectContaining({ attempt: 2, state: 'Failed', reason: 'StepFailed', finished: new Date(started) }),
    ]);
  });
});
