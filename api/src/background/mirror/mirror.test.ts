import { setTimeout as wait } from 'node:timers/promises';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { ConnectionError } from '@seqpanel/crds/kube/errors.ts';
import { ANALYSIS_TASKS, type KubeObject, type Resource } from '@seqpanel/crds/kube/objects.ts';
import knex, { type Knex } from 'knex';
import { pino } from 'pino';
import { startApi } from '../../../test-support/api.ts';
import { aLaboratory } from '../../../test-support/laboratory.ts';
import { createTestDatabase } from '../../../test-support/postgres.ts';
import { createMirror, type Mirror } from './mirror.ts';

const ending = new AbortController();
const running: Promise<void>[] = [];
/** No database listens on this port, so every write fails. */
const nowhere = knex({
  client: 'pg',
  connection: 'postgres://127.0.0.1:1/none',
  log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
});
afterAll(async () => {
  ending.abort();
  await Promise.all(running);
  await nowhere.destroy();
});

const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
const task = {
  kind: 'AnalysisTask',
  metadata: { name: '6f1c2c4e-0000-4000-8000-000000000001', uid: 'u', resourceVersion: '1' },
  spec: { samples: [] },
};

/** A cluster with at most one task. It does not answer while it is away. */
function aCluster(tasks: object[] = []) {
  const cluster = { away: false };
  const ask = (): void => {
    if (cluster.away) throw new ConnectionError('the cluster is away', 'ECONNREFUSED');
  };
  const kube = {
    list: async (resource: Resource<KubeObject>) => {
      ask();
      return { metadata: { resourceVersion: '1' }, items: resource.kind === ANALYSIS_TASKS.kind ? tasks : [] };
    },
    watch: async function* (_: unknown, { signal }: { signal: AbortSignal }) {
      ask();
      yield { type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion: '1' } } };
      while (!signal.aborted) {
        ask();
        await wait(20);
      }
    },
    get: async () => {
      throw new Error('nobody asks');
    },
  } as unknown as KubeClient;
  return { cluster, kube };
}

function start(kube: KubeClient, db: Knex): Mirror {
  const log = pino({ level: 'silent' });
  const now = () => new Date(clock.now);
  const mirror = createMirror({ db, kube, storageDir: '/nowhere', log, now, onTask: () => {} });
  running.push(mirror.run(ending.signal));
  return mirror;
}

async function until(ask: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !ask(); await wait(20)) if (Date.now() > end) throw new Error('not in time');
}

describe('the lag of the mirror', () => {
  test('it is 0 while tasks are watched, and grows while they cannot be', async () => {
    const { cluster, kube } = aCluster();
    const mirror = start(kube, nowhere);
    await until(() => mirror.lagMs() === 0);
    clock.now += 60_000;
    expect(mirror.lagMs()).toBe(0);
    cluster.away = true;
    await until(() => {
      clock.now += 1_000;
      return mirror.lagMs() > 0;
    });
    const before = mirror.lagMs();
    clock.now += 60_000;
    expect(mirror.lagMs()).toBe(before + 60_000);
    expect(mirror.healthy()).toBe(false);
    cluster.away = false;
    await until(() => mirror.lagMs() === 0);
  });

  test('it grows while a received status cannot be written', async () => {
    const { kube } = aCluster([task]);
    const mirror = start(kube, nowhere);
    await mirror.synced;
    clock.now += 30_000;
    expect(mirror.lagMs()).toBe(30_000);
  });
});

/** A cluster that lists objects of one kind and sends one change of them when the test calls `change`. */
function aChangingCluster(kind: string, listed: object[], current: (name: string) => object) {
  let change = (_: object): void => {};
  const changed = new Promise<object>((resolve) => {
    change = resolve;
  });
  const kube = {
    list: async (resource: Resource<KubeObject>) => ({
      metadata: { resourceVersion: '2' },
      items: resource.kind === kind ? listed : [],
    }),
    watch: async function* (resource: Resource<KubeObject>, { signal }: { signal: AbortSignal }) {
      if (resource.kind === kind) yield { type: 'MODIFIED', object: await changed };
      while (!signal.aborted) await wait(20);
    },
    get: async (_: unknown, name: string) => current(name),
  } as unknown as KubeClient;
  return { kube, change };
}

const quietMirror = (db: Knex, kube: KubeClient, storageDir: string): Mirror =>
  createMirror({ db, kube, storageDir, log: pino({ level: 'silent' }), now: () => new Date(), onTask: () => {} });

test('a task that changes during the write of another one gets its newest status, and none is lost', async () => {
  const database = await createTestDatabase();
  const stop = new AbortController();
  const at = (n: number, revision: number, resourceVersion: string) => ({
    kind: 'AnalysisTask',
    metadata: {
      name: `6f1c2c4e-0000-4000-8000-00000000000${n}`,
      uid: `6f1c2c4e-0000-4000-8000-00000000001${n}`,
      resourceVersion,
    },
    spec: {
      name: `t${n}`,
      group: 'g',
      source: 'fq',
      samples: [],
      panelType: { name: 'p', sha256: '0' },
      preset: { name: 'd', sha256: '0' },
      pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
    },
    status: { phase: 'Running', revision },
  });
  const listed = [at(1, 1, '1'), at(2, 1, '2')];
  const { kube, change } = aChangingCluster(ANALYSIS_TASKS.kind, listed, (name) => at(Number(name.at(-1)), 1, '1'));
  // Another connection blocks the write of the first task.
  const lock = await database.db.transaction();
  await lock.raw('LOCK TABLE task IN EXCLUSIVE MODE');
  const mirror = quietMirror(database.db, kube, '/nowhere');
  const run = mirror.run(stop.signal);
  try {
    await mirror.synced;
    const held = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'task'::regclass";
    while ((await lock.raw(held)).rows.length === 0) await wait(20);
    change(at(2, 2, '3'));
    await wait(200);
    await lock.commit();
    const rows = async () => (await database.db('task').orderBy('name').pluck('revision')).join();
    for (const end = Date.now() + 20_000; (await rows()) !== '1,2' && Date.now() < end; ) await wait(20);
    expect(await rows()).toBe('1,2');
  } finally {
    stop.abort();
    await run;
    await database.close();
  }
}, 60_000);

test('a panel type that changes during a save in the console keeps its newest status', async () => {
  const api = await startApi();
  const { db } = api.deps;
  const lab = await aLaboratory(api);
  const { value } = (await db('panel_type').where({ id: lab.panel }).first())!;
  const name = value.replaceAll('_', '-');
  const at = (resourceVersion: string, ready: string) => ({
    kind: 'PanelType',
    metadata: { name, uid: 'p', generation: 1, resourceVersion },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
  await db('panel_type').where({ value }).update({ resource_uid: 'p', resource_generation: 1, status: '{}' });
  // A save that the outbox has not carried out yet, so the first event must wait.
  const object = `PanelType/${name}`;
  const intent = JSON.stringify({ type: 'apply' });
  await db('outbox').insert({ object, intent, state: 'pending', next_try: new Date(), created: new Date() });
  const { kube, change } = aChangingCluster('PanelType', [at('1', 'False')], () => at('2', 'True'));
  const stop = new AbortController();
  const mirror = quietMirror(db, kube, api.storageDir);
  const run = mirror.run(stop.signal);
  const status = async () => (await db('panel_type').where({ value }).first())!.status.conditions?.[0]?.status;
  try {
    await mirror.synced;
    await wait(300);
    expect(await status()).toBeUndefined();
    await db('outbox').where({ object }).update({ state: 'done' });
    change(at('2', 'True'));
    for (const end = Date.now() + 10_000; (await status()) !== 'True' && Date.now() < end; ) await wait(20);
    // Longer than the delay before the first event is compared again.
    await wait(1_500);
    expect(await status()).toBe('True');
  } finally {
    stop.abort();
    await run;
    await api.close();
  }
}, 60_000);
