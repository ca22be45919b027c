import type { AnalysisTask, Genome, Pipeline } from '@seqpanel/crds/kinds.ts';
import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { Conflict, ServerUnavailable } from '@seqpanel/crds/kube/errors.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { Store } from '@seqpanel/crds/kube/store.ts';
import { startTestServer } from '@seqpanel/crds/kube/test-server.ts';
import { KindNotKnown } from '../jobs/act.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { createEventRecorder } from '../kube/events.ts';
import { SETTINGS } from '../testing/decision-input.ts';
import { aPipeline, aTask, NOW } from '../testing/task-builders.ts';
import { TaskReconciler } from './reconciler.ts';
import { trimForCache } from './trim-for-cache.ts';

const signal = new AbortController().signal;

/** A reconciler over caches with one new task, and a server that responds by method and resource. */
async function startRound(
  answers: Record<string, [status: number, body: object]>,
  task: Stored<AnalysisTask> = aTask('t1', 'A').build(),
) {
  const server = await startTestServer(({ method, path }, response) => {
    const resource = path.split('/').find((part) => /^(jobs|configmaps|analysistasks|events)$/.test(part));
    const [status, body] = answers[`${method} ${resource}`] ?? [
      200,
      { ...task, metadata: { ...task.metadata, resourceVersion: '8' } },
    ];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const client = new KubeClient(server.access);
  const store = <S>(key?: string, object?: S): Store<S> => {
    const made = new Store<S>({ owner: () => [], task: () => [] });
    if (key && object) made.set(key, object);
    return made;
  };
  const events = createEventRecorder({ client, signal, now: () => NOW });
  const reconciler = new TaskReconciler({
    client,
    caches: {
      tasks: store<Stored<AnalysisTask>>('test/t1', task),
      pipelines: store<Stored<Pipeline>>('test/panel-1.0.0', aPipeline()),
      genomes: store<Stored<Genome>>(),
      panelTypes: store(),
      pools: () => [],
      jobs: store<JobFacts>(),
      pods: store<PodFacts>(),
      notReadyNodes: () => new Set(),
    },
    events,
    settings: () => SETTINGS,
    admission: {
      of: () => ({ grant: { pods: 100 } }),
      podsFor: () => 100,
      reserve: () => undefined,
    },
    now: () => NOW,
  });
  const statuses = () =>
    server.seen
      .filter(({ method }) => method === 'PUT')
      .map(({ body }) => JSON.parse(body) as { metadata: object; status: AnalysisTask['status'] });
  const end = async () => {
    await events.settled();
    await client.close();
    await server.stop();
  };
  return { reconciler, statuses, seen: server.seen, end };
}

test('objects are created before the status is written, and the write is locked to the version that was read', async () => {
  const { reconciler, statuses, seen, end } = await startRound({});
  await reconciler.reconcile('test/t1', signal);
  expect(seen.slice(0, 3).map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`)).toEqual([
    'POST test/configmaps',
    'POST test/jobs',
    'PUT t1/status',
  ]);
  expect(statuses()[0]?.metadata).toMatchObject({ name: 't1', resourceVersion: '7' });
  await end();
});

test('the spec file names the samples and is created from the cached task', async () => {
  const whole = aTask('t1', 'A', 'B').build();
  const { reconciler, seen, end } = await startRound({}, trimForCache(whole));
  await reconciler.reconcile('test/t1', signal);
  expect(seen.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`).slice(0, 2)).toEqual([
    'POST configmaps',
    'POST jobs',
  ]);
  const file = JSON.parse(seen[0]?.body ?? '') as { data: Record<string, string> };
  expect(JSON.parse(file.data['task.json'] ?? '')).toEqual({
    schema_version: 2,
    task: 't1',
    uid: 'uid-t1',
    spec: { ...whole.spec, samples: [{ name: 'A' }, { name: 'B' }] },
  });
  await end();
});

test('a conflict is thrown so that the queue retries, and no event is recorded', async () => {
  const { reconciler, seen, end } = await startRound({ 'PUT analysistasks': [409, { reason: 'Conflict' }] });
  await expect(reconciler.reconcile('test/t1', signal)).rejects.toBeInstanceOf(Conflict);
  expect(seen.filter(({ path }) => path.endsWith('/events'))).toEqual([]);
  await end();
});

test('a Job that the server calls invalid fails the task with the server’s message', async () => {
  const { reconciler, statuses, end } = await startRound({
    'POST jobs': [422, { reason: 'Invalid', message: 'name: too long' }],
  });
  await reconciler.reconcile('test/t1', signal);
  expect(statuses()[0]?.status).toMatchObject({ phase: 'Failed' });
  expect(JSON.stringify(statuses()[0]?.status)).toContain('name: too long');
  await end();
});

test('a Job that a policy forbids sets Progressing to False and is retried', async () => {
  const forbidden = { reason: 'Forbidden', message: 'exceeded quota: count/jobs.batch' };
  const { reconciler, statuses, end } = await startRound({ 'POST jobs': [403, forbidden] });
  expect(await reconciler.reconcile('test/t1', signal)).toEqual({ requeueAfterMs: 30_000 });
  expect(statuses()[0]?.status).toMatchObject({
    phase: 'Queued',
    conditions: [{ type: 'Progressing', status: 'False', reason: 'JobForbidden' }],
  });
  await end();
});

test('an unknown kind of the owner is not a rejection: nothing is written, and the round is retried', async () => {
  const message =
    'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion seqpanel.dev/v1alpha1';
  const { reconciler, statuses, end } = await startRound({
    'POST configmaps': [403, { reason: 'Forbidden', message }],
  });
  await expect(reconciler.reconcile('test/t1', signal)).rejects.toBeInstanceOf(KindNotKnown);
  expect(statuses()).toEqual([]);
  await end();
});

test('a server error writes nothing and is retried', async () => {
  const { reconciler, statuses, end } = await startRound({ 'POST jobs': [503, {}] });
  await expect(reconciler.reconcile('test/t1', signal)).rejects.toBeInstanceOf(ServerUnavailable);
  expect(statuses()).toEqual([]);
  await end();
});

test('an existing Job of the task counts as created; one of another owner fails the task', async () => {
  const exists = { 'POST jobs': [409, { reason: 'AlreadyExists' }] as [number, object] };
  const owner = (uid: string) => ({ metadata: { name: 't1-reads-1', ownerReferences: [{ uid, controller: true }] } });
  const mine = await startRound({ ...exists, 'GET jobs': [200, owner('uid-t1')] });
  await mine.reconciler.reconcile('test/t1', signal);
  expect(mine.statuses()[0]?.status?.phase).toBe('Queued');
  await mine.end();
  const other = await startRound({ ...exists, 'GET jobs': [200, owner('uid-other')] });
  await other.reconciler.reconcile('test/t1', signal);
  expect(other.statuses()[0]?.status?.phase).toBe('Failed');
  await other.end();
});

test.each([
  ['is deleted', [404, { reason: 'NotFound' }], 0],
  ['is being deleted', [200, { metadata: { uid: 'uid-t1', deletionTimestamp: '2026-01-01T00:00:00Z' } }], 0],
  ['was created again', [200, { metadata: { uid: 'uid-other' } }], 0],
  ['exists', [200, { metadata: { uid: 'uid-t1' } }], 1],
] as const)(
  'of a task that %s, whatever the cache contains, a missing Job is created again: %j, %i',
  async (_, answer, made) => {
    const running = aTask('t1', 'A').withStep('reads', 'Running').build();
    const { reconciler, seen, end } = await startRound(
      { 'GET jobs': [404, { reason: 'NotFound' }], 'GET analysistasks': [...answer], 'GET configmaps': [404, {}] },
      running,
    );
    await reconciler.reconcile('test/t1', signal);
    expect(seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/jobs'))).toHaveLength(made);
    expect(seen.filter(({ method }) => method === 'PUT')).toHaveLength(made);
    await end();
  },
);
