import { parseArguments, parseEnvironment } from './arguments.ts';

test('parses step, spec and task, and rejects anything else with the usage', () => {
  expect(parseArguments(['reads', '--spec', '/etc/seqpanel/task.json', '--task', 'tasks/1'])).toMatchObject({
    step: 'reads',
    spec: '/etc/seqpanel/task.json',
    task: 'tasks/1',
  });
  for (const argv of [[], ['--spec', 'x'], ['reads'], ['reads', '--spec'], ['reads', '--spec', 'x', '--tusk', 'y']])
    expect(() => parseArguments(argv)).toThrow('usage: seqpanel-step');
  for (const task of ['/tasks/1', 'tasks/../../etc'])
    expect(() => parseArguments(['reads', '--spec', 'x', '--task', task])).toThrow('below the storage root');
});

test('[K8S-21] a completion index selects the n-th remaining sample, or the n-th block of them', () => {
  const of = (index: string, perPod: string) =>
    parseEnvironment({
      SEQPANEL_STORAGE: '/storage/',
      SEQPANEL_SAMPLES: '0-1,4,7-9',
      JOB_COMPLETION_INDEX: index,
      SEQPANEL_SAMPLES_PER_POD: perPod,
    }).sampleIndexes;
  expect([of('2', '1'), of('3', '1')]).toEqual([[4], [7]]);
  expect([of('0', '4'), of('1', '4')]).toEqual([
    [0, 1, 4, 7],
    [8, 9],
  ]);
  expect(() => of('6', '1')).toThrow('JOB_COMPLETION_INDEX=6 is outside SEQPANEL_SAMPLES');
});

test('[K8S-19] reads failed samples as ranges of their indexes', () => {
  const failed = (ranges?: string) =>
    parseEnvironment({ SEQPANEL_STORAGE: '/s', ...(ranges && { SEQPANEL_FAILED_SAMPLES: ranges }) }).failedSamples;
  expect([failed('0-1,4'), failed()]).toEqual([[0, 1, 4], []]);
});

test('names the variable that is invalid', () => {
  expect(() => parseEnvironment({ SEQPANEL_STORAGE: 'relative' })).toThrow('SEQPANEL_STORAGE must be an absolute path');
  expect(() => parseEnvironment({ SEQPANEL_STORAGE: '/s', SEQPANEL_CPUS: 'two' })).toThrow(
    'SEQPANEL_CPUS must be a whole number from 1',
  );
});
