import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import { ANALYSIS_TASKS, type KubeObject, type Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Change } from '@seqpanel/crds/kube/reflector.ts';
import { Store } from '@seqpanel/crds/kube/store.ts';
import { trimForCache } from './analysistask/trim-for-cache.ts';
import { createCaches } from './caches.ts';
import { aTask, NOW } from './testing/task-builders.ts';
import type { Watches } from './watches.ts';

const DAY_MS = 86_400_000;

/** Caches whose changes the test sends, and the keys that they enqueue. */
function aCaches() {
  const enqueued: [key: string, afterMs: number | undefined][] = [];
  const handlers = new Map<string, (change: Change<unknown>) => void>();
  const watch = ((resource: { kind: string }, onChange: (change: Change<unknown>) => void, options = {}) => {
    handlers.set(resource.kind, onChange);
    return { store: new Store((options as { indexes?: object }).indexes as Record<string, () => string[]>) };
  }) as unknown as Watches['watch'];
  const nothing = () => undefined;
  const caches = createCaches({ watch, seesNodes: false, now: () => NOW });
  caches.connect({
    enqueueTask: (key, ms) => enqueued.push([key, ms]),
    enqueuePipeline: nothing,
    enqueueGenome: nothing,
    enqueuePanelType: nothing,
    onJobEnd: nothing,
    onTaskEnd: nothing,
    onAdmissionChange: nothing,
    retentionMs: () => 3 * DAY_MS,
  });
  const send = (type: Change<unknown>['type'], task: Stored<AnalysisTask>) => {
    const object = trimForCache(task);
    caches.tasks.set(`test/${task.metadata.name}`, object);
    handlers.get(ANALYSIS_TASKS.kind)?.({ type, key: `test/${task.metadata.name}`, object: object as KubeObject });
  };
  return { caches, enqueued, send };
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
  ['its retention time has passed', ended(4 * DAY_MS), [['test/t1', 0]]],
  [
    'its results are in the database but not in its status',
    ended(0, { 'seqpanel.dev/ingested': 'f' }),
    [['test/t1', undefined]],
  ],
])('a finished task is enqueued only when it is due: %s', (_, task, expected) => {
  const { enqueued, send } = aCaches();
  send('synced', task);
  expect(enqueued).toEqual(expected);
});

test('a completed task whose results are not in the database is not enqueued', () => {
  const { enqueued, send } = aCaches();
  const task = ended(0);
  Object.assign(task.status ?? {}, { phase: 'Completed' });
  send('synced', task);
  expect(enqueued).toEqual([]);
});

test('an unfinished task is enqueued, and leaves the index when it finishes', () => {
  const { caches, enqueued, send } = aCaches();
  send('synced', aTask('t1', 'A').build());
  expect([enqueued, caches.tasks.byIndex('unfinished', 'all')]).toMatchObject([
    [['test/t1', undefined]],
    [{ spec: { group: 'g1' } }],
  ]);
  send('modified', ended(0));
  expect(caches.tasks.byIndex('unfinished', 'all')).toEqual([]);
});
