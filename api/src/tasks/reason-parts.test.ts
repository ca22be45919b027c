import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { reasonParts } from './reason-parts.ts';

const failed: AnalysisTaskStatus = {
  phase: 'Failed',
  failures: [{ sample: 'S1', step: 'align', code: 'step_timeout', message: 'the step exceeded its time limit' }],
};

describe('the parts of a reason', () => {
  test('name the code, step and sample of the failure that the stored line describes', () => {
    expect(reasonParts('align, sample S1: the step exceeded its time limit', failed)).toEqual({
      code: 'step_timeout',
      step: 'align',
      sample: 'S1',
      message: 'the step exceeded its time limit',
    });
  });

  test('are those of the condition that holds up an open task', () => {
    const status: AnalysisTaskStatus = {
      phase: 'Running',
      conditions: [
        { type: 'Progressing', status: 'False', reason: 'Unschedulable', message: 'no node', lastTransitionTime: '' },
      ],
    };
    expect(reasonParts('no node', status)).toEqual({
      code: 'Unschedulable',
      step: null,
      sample: null,
      message: 'no node',
    });
  });

  test('are found for the reasons that the api stores', () => {
    expect(reasonParts('ResourceDeleted', null)?.code).toBe('resource_deleted');
    expect(reasonParts('The task could not be started: quota exceeded', null)).toMatchObject({
      code: 'dispatch_refused',
      message: 'quota exceeded',
    });
    expect(reasonParts('The results could not be read: no file', failed)).toMatchObject({
      code: 'ingest_failed',
      message: 'no file',
    });
  });

  test('are missing for no reason and for an unknown line', () => {
    expect(reasonParts(null, failed)).toBeNull();
    expect(reasonParts('written by an older release', failed)).toBeNull();
  });
});
