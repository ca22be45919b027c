import { aTask } from '../testing/task-builders.ts';
import { trimForCache } from './trim-for-cache.ts';

test('an unfinished task keeps only the names of its samples', () => {
  const task = trimForCache(aTask('t1', 'A', 'B').withStep('reads', 'Running').build());
  expect(task.spec.samples).toEqual([
    { name: 'A', libraryId: '', files: [] },
    { name: 'B', libraryId: '', files: [] },
  ]);
  expect(task.status?.stages).toHaveLength(5);
});

test('a finished task keeps only what its deletion needs', () => {
  const ingested = {
    type: 'Ingested',
    status: 'True' as const,
    lastTransitionTime: '',
    reason: 'Ingested',
    message: '',
  };
  const task = trimForCache(
    aTask('t1', ...Array.from({ length: 384 }, (_, i) => `S${i}`))
      .withStep('report', 'Succeeded')
      .with(({ metadata, status }) => {
        metadata.annotations = { 'seqpanel.dev/ingested': 'f1', other: 'x' };
        Object.assign(status ?? {}, { phase: 'Completed', finished: 'then', conditions: [ingested] });
      })
      .build(),
  );
  expect(task.metadata.annotations).toEqual({ 'seqpanel.dev/ingested': 'f1' });
  expect(task.status).toEqual({ phase: 'Completed', finished: 'then', revision: 3, conditions: [ingested] });
  expect(JSON.stringify(task).length).toBeLessThan(600);
});
