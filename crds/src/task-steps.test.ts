import type { AnalysisTaskStatus, StepStatus } from './kinds.ts';
import { failedIndexes, isSampleStep, samplesDone, stepsOf, stepsOfPipeline } from './task-steps.ts';

/** A Pipeline of a group: prepares a database, then maps and types samples. */
const aStatus = (...secondary: StepStatus[]): Pick<AnalysisTaskStatus, 'stages'> => ({
  stages: [
    { name: 'secondary', state: 'Running', steps: secondary },
    { name: 'annotation', state: 'Pending', steps: [{ name: 'names', state: 'Pending' }] },
  ],
});
const counts = (done: number) => ({ samples: { total: 4, done, failed: 0 } });

test('steps have their stage and the order of the Pipeline', () => {
  const status = aStatus({ name: 'prepare', state: 'Succeeded' }, { name: 'map', state: 'Running', ...counts(1) });
  expect(stepsOf(status).map(({ stage, step }) => `${stage}/${step.name}`)).toEqual([
    'secondary/prepare',
    'secondary/map',
    'annotation/names',
  ]);
  expect(stepsOf({})).toEqual([]);
});

test('the steps of a Pipeline are in the order of its stages', () => {
  const stage = (name: string, ...steps: string[]) => ({ name, steps: steps.map((step) => ({ name: step })) });
  const spec = { stages: [stage('secondary', 'map', 'type'), stage('report', 'report')] };
  expect(stepsOfPipeline({ spec } as never).map(({ name }) => name)).toEqual(['map', 'type', 'report']);
});

test.each([
  [undefined, []],
  ['', []],
  ['0-2,5', [0, 1, 2, 5]],
])('failedSamples %j are the indexes %j', (failedSamples, indexes) => {
  expect(failedIndexes({ failedSamples })).toEqual(indexes);
});

test('a step with a count of samples runs once for each sample, whatever its name', () => {
  expect(isSampleStep({ name: 'map', state: 'Running', ...counts(0) })).toBe(true);
  expect(isSampleStep({ name: 'reads', state: 'Running' })).toBe(false);
});

test.each<[string, StepStatus[], number]>([
  ['none while all is made ready', [{ name: 'prepare', state: 'Running' }], 0],
  ['those of the open step', [{ name: 'map', state: 'Running', ...counts(2) }], 2],
  ['those of a step in which none was left', [{ name: 'map', state: 'Failed', ...counts(1) }], 1],
  [
    'those of the second step over samples',
    [
      { name: 'map', state: 'Succeeded', ...counts(3) },
      { name: 'type', state: 'Running', ...counts(1) },
    ],
    1,
  ],
  ['all alive ones once a step has run over samples', [{ name: 'map', state: 'Succeeded', ...counts(3) }], 3],
])('samples done are %s', (_, steps, done) => {
  expect(samplesDone(aStatus(...steps), 3)).toBe(done);
});
