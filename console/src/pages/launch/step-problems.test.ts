import { describe, expect, test } from '@jest/globals';
import { emptyDraft, withFiles, withSample } from './draft.ts';
import { draftProblems, isStepOpen, stepOf } from './step-problems.ts';

const files = ['S1_R1.fastq.gz', 'S1_R2.fastq.gz', 'S2_R1.fastq.gz', 'S2_R2.fastq.gz'];
const draft = () => ({ ...withFiles({ ...emptyDraft('k'), project: 'p', panel: 'x' }, files), runName: 'run' });
const open = (step: Parameters<typeof isStepOpen>[0], now = draft()) =>
  isStepOpen(step, now, draftProblems(now, undefined, undefined));

describe('the steps of the wizard', () => {
  test('[LAUNCH-08] without a panel the first step is blocked', () => {
    expect(open('select-files', { ...draft(), panel: '' })).toBe(false);
    expect(open('select-files')).toBe(true);
  });

  test('[LAUNCH-15] without sample files the second step is blocked', () => {
    expect(open('edit-definition', { ...emptyDraft('k'), project: 'p', panel: 'x' })).toBe(false);
  });

  test('[LAUNCH-24] a repeated sample name blocks the definition step', () => {
    const start = draft();
    const twice = withSample(start, start.samples[1]!.id, { name: 'S1' });
    expect(draftProblems(twice, undefined, undefined).map(({ code }) => code)).toContain('sample_name_exists');
    expect(open('preview', twice)).toBe(false);
  });

  test('[LAUNCH-35] a run name with a space is corrected on the preview', () => {
    const problems = draftProblems({ ...draft(), runName: 'my run' }, undefined, undefined);
    expect(problems.map(stepOf)).toEqual(['preview']);
    expect(isStepOpen('start', { ...draft(), runName: 'my run' }, problems)).toBe(false);
  });

  test('a valid draft can start', () => {
    expect(open('start')).toBe(true);
  });
});
