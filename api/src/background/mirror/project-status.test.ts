import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { projectStatus } from './project-status.ts';

const aStatus = (more: Partial<AnalysisTaskStatus> = {}): AnalysisTaskStatus => ({
  phase: 'Running',
  revision: 3,
  ...more,
});
const step = (name: string, state: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Skipped', done?: number) => ({
  name,
  state,
  ...(done !== undefined && { samples: { total: 4, done, failed: 0 } }),
});

describe('the columns of a status', () => {
  test('a task without a status is queued', () => {
    expect(projectStatus({}, 4)).toMatchObject({
      status: 'queued',
      stage: null,
      stage_number: 0,
      samples_done: 0,
      revision: 0,
    });
  });
  test.each([
    ['Queued', 'queued'],
    ['Starting', 'starting'],
    ['Running', 'running'],
    ['Completed', 'running'],
    ['Aborted', 'aborted'],
    ['Failed', 'failed'],
  ] as const)('[TASK-03] %s is %s', (phase, status) => {
    expect(projectStatus(aStatus({ phase }), 4).status).toBe(status);
  });
  test('finished samples are those of the current sample step, and all surviving ones when only task steps are left', () => {
    const secondary = (...steps: ReturnType<typeof step>[]) =>
      aStatus({ stages: [{ name: 'secondary', state: 'Running', steps }] });
    expect(projectStatus(secondary(step('reads', 'Running', 2), step('cohort', 'Pending')), 4).samples_done).toBe(2);
    expect(projectStatus(secondary(step('reads', 'Succeeded', 4), step('cohort', 'Running')), 4).samples_done).toBe(4);
    const failing = { ...secondary(step('reads', 'Succeeded', 3), step('cohort', 'Running')), failedSamples: '1' };
    expect(projectStatus(failing, 4)).toMatchObject({ samples_done: 3, samples_failed: 1 });
  });
  test('a failed task has its step, sample and message in one line', () => {
    const status = aStatus({
      phase: 'Failed',
      stage: 'post-filter',
      stages: [{ name: 'post-filter', state: 'Failed', steps: [step('post-filter', 'Failed')] }],
      failures: [
        { sample: 'S1', step: 'reads', code: 'fastq_invalid', message: 'S1.fastq line 4 is not a record' },
        { sample: 'S17', step: 'post-filter', code: 'bed_invalid', message: 'BED line 44 has 2 columns' },
      ],
    });
    expect(projectStatus(status, 4)).toMatchObject({
      reason: 'post-filter, sample S17: BED line 44 has 2 columns',
      stage_number: 3,
    });
  });
  test('a stuck task reports its reason while it runs, and not after its end', () => {
    const conditions = [
      {
        type: 'Progressing',
        status: 'False' as const,
        reason: 'Unschedulable',
        message: 'no node has 2 cpus',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    expect(projectStatus(aStatus({ conditions }), 1).reason).toBe('no node has 2 cpus');
    expect(projectStatus(aStatus({ phase: 'Aborted', conditions }), 1).reason).toBeNull();
  });
  test('the status finishes only failed and aborted tasks, results finish completed ones', () => {
    const finished = '2026-01-01T00:00:00Z';
    expect(projectStatus(aStatus({ phase: 'Completed', finished }), 1).finished).toBeNull();
    expect(projectStatus(aStatus({ phase: 'Failed', finished }), 1).finished).toEqual(new Date(finished));
  });
});
