import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import { ANALYSIS_TASKS, type KubeObject, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Change } from '@seqpanel/crds/kube/reflector.ts';
import { Store } from '@seqpanel/crds/kube/store.ts';
import { trimTask } from './analysistask/keep.ts';
import { createCaches } from './caches.ts';
import { aTask, NOW } from './testing/builders.ts';
import type { Watches } from './watches.ts';

const DAY_MS = 86_400_000;

/** Caches that are told of changes by hand, and what they enqueue. */
function aCaches() {
  const looks: [key: string, afterMs: number | undefined][] = [];
  const tellers = new Map<string, (change: Change<unknown>) => void>();
  const watch = ((resource: { kind: string }, onChange: (change: Change<unknown>) => void, options = {}) => {
    tellers.set(resource.kind, onChange);
    return { store: new Store((options as { indexes?: object }).indexes as Record<string, () => string[]>) };
  }) as unknown as Watches['watch'];
  const nothing = () => undefined;
  const caches = createCaches({
    watch,
    look: { task: (key, ms) => looks.push([key, ms]), pipeline: nothing, genome: nothing, panelType: nothing },
    seesNodes: false,
    onJobEnd: nothing,
    onTaskEnd: nothing,
    onAdmissionChange: nothing,
    retentionMs: () => 3 * DAY_MS,
    now: () => NOW,
  });
  const tell = (type: Change<unknown>['type'], task: Stored<AnalysisTask>) => {
    const object = trimTask(task);
    caches.tasks.set(`test/${task.metadata.name}`, object);
    tellers.get(ANALYSIS_TASKS.kind)?.({ type, key: `test/${task.metadata.name}`, object: object as KubeObject });
  };
  return { caches, looks, tell };
}

const ended = (finishedAgo: number, annotations: Record<string, string> = {}) =>
  aTask('t1', 'A')
    .withStep('reads', 'Failed')
    .with((t) => {
      Object.assign(t.status ?? {}, { phase: 'Failed', finished: new Date(NOW - finishedAgo).toISOString() });
      t.metadata.annotations = annotations;
    })
    .build();

test.each([
  ['nothing is due yet', ended(DAY_MS), [['test/t1', 2 * DAY_MS]]],
  ['its time has passed', ended(4 * DAY_MS), [['test/t1', 0]]],
  [
    'its results are in the database and its status does not say so',
    ended(0, { 'seqpanel.dev/ingested': 'f' }),
    [['test/t1', undefined]],
  ],
])('a finished task is looked at only when it is due: %s', (_, task, expected) => {
  const { looks, tell } = aCaches();
  tell('synced', task);
  expect(looks).toEqual(expected);
});

test('a completed task whose results are not in the database is not looked at', () => {
  const { looks, tell } = aCaches();
  const task = ended(0);
  Object.assign(task.status ?? {}, { phase: 'Completed' });
  tell('synced', task);
  expect(looks).toEqual([]);
});

test('a task that is not finished is looked at, and leaves the index when it is', () => {
  const { caches, looks, tell } = aCaches();
  tell('synced', aTask('t1', 'A').build());
  expect([looks, caches.tasks.byIndex('unfinished', 'all')]).toMatchObject([
    [['test/t1', undefined]],
    [{ spec: { group: 'g1' } }],
  ]);
  tell('modified', ended(0));
  expect(caches.tasks.byIndex('unfinished', 'all')).toEqual([]);
});
