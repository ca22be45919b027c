import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorFor } from '@seqpanel/crds/kube/errors.ts';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import { aTaskRow } from '../../../test-support/task-row.ts';
import { enqueueIntent, type Intent } from '../../outbox/intent.ts';
import { keepFrozen, makeMountedFolders, withManifest, writeFrozen } from '../../storage/frozen-files.ts';
import type { KubeWriter } from './carry-out.ts';
import { type DispatcherOptions, dispatchOne } from './dispatcher.ts';
import { nextDueMs, settleIntent, takeIntent } from './take-intent.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-outbox-'));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => database.db('outbox').delete());
beforeEach(() => database.db('outbox_turn').delete());

const signal = new AbortController().signal;
const patch = (name: string, n: number): Intent => ({ type: 'patch', kind: 'AnalysisTask', name, patch: { n } });
const add = (...intents: Intent[]) => addFor(null, ...intents);
const addFor = (group: string | null, ...intents: Intent[]) =>
  database.db.transaction(async (trx) => {
    for (const intent of intents) await enqueueIntent(trx, intent, new Date(0), group);
  });

/** A cluster that records its calls and answers as configured. */
function aCluster(answer: (name: string, n: number) => Promise<void> = async () => {}) {
  const calls: string[] = [];
  const kube = {
    patch: async (_: unknown, name: string, { n }: { n: number }) => {
      calls.push(`${name}${n}`);
      await answer(name, n);
    },
  } as unknown as KubeWriter;
  return { kube, calls };
}

function aDispatcher(kube: KubeWriter, clock = { now: 1_000 }): DispatcherOptions & { failed: string[] } {
  const failed: string[] = [];
  return {
    db: database.db,
    kube,
    storageDir: folder,
    log: pino({ level: 'silent' }),
    now: () => new Date(clock.now),
    onFailed: async (_, __, message) => {
      failed.push(message);
    },
    failed,
  };
}
const drain = async (options: DispatcherOptions): Promise<void> => {
  while (await dispatchOne(options, signal));
};

describe('the outbox', () => {
  test('intents of one object are carried out in order, and a waiting one delays only its own object', async () => {
    let broken = true;
    const clock = { now: 1_000 };
    const { kube, calls } = aCluster(async (name) => {
      if (name === 'a' && broken) throw errorFor(503, { message: 'not now' });
    });
    const dispatcher = aDispatcher(kube, clock);
    await add(patch('a', 1), patch('a', 2), patch('b', 1));
    await drain(dispatcher);
    expect(calls).toEqual(['a1', 'b1']);
    broken = false;
    await drain(dispatcher);
    expect(calls).toEqual(['a1', 'b1']);
    clock.now += 60_000;
    await drain(dispatcher);
    expect(calls).toEqual(['a1', 'b1', 'a1', 'a2']);
    expect(await database.db('outbox').whereNot({ state: 'done' })).toEqual([]);
  });

  test('several dispatchers carry out each intent once', async () => {
    const { kube, calls } = aCluster(() => new Promise((resolve) => setImmediate(resolve)));
    await add(...Array.from({ length: 30 }, (_, i) => patch(`t${i % 10}-`, i)));
    await Promise.all([1, 2, 3].map(() => drain(aDispatcher(kube))));
    await drain(aDispatcher(kube));
    expect([...calls].sort()).toEqual(Array.from({ length: 30 }, (_, i) => `t${i % 10}-${i}`).sort());
    for (let object = 0; object < 10; object++) {
      const own = calls.filter((call) => call.startsWith(`t${object}-`)).map((call) => Number(call.split('-')[1]));
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });

  test('a permanently rejected intent is not retried, and its cause is reported', async () => {
    const { kube, calls } = aCluster(async () => {
      throw errorFor(422, { message: 'spec.name: too long' });
    });
    const dispatcher = aDispatcher(kube);
    await add(patch('a', 1));
    await drain(dispatcher);
    await drain(dispatcher);
    expect(calls).toEqual(['a1']);
    expect(dispatcher.failed).toEqual(['spec.name: too long']);
    expect(await database.db('outbox').first('state', 'last_error')).toEqual({
      state: 'failed',
      last_error: 'spec.name: too long',
    });
  });

  test('a transaction that is rolled back leaves no intent', async () => {
    await database.db
      .transaction(async (trx) => {
        await enqueueIntent(trx, patch('a', 1), new Date(0));
        throw new Error('no');
      })
      .catch(() => {});
    expect(await database.db('outbox')).toEqual([]);
  });
});

describe('turns and leases', () => {
  const names = (group: string, count: number) => Array.from({ length: count }, (_, i) => patch(`${group}${i}-`, 0));

  test('a group with one launch does not wait for the hundred of another group', async () => {
    const { kube, calls } = aCluster();
    await addFor('busy', ...names('busy', 100));
    await drainSome(3, kube);
    await addFor('quiet', ...names('quiet', 2));
    await drainSome(4, kube);
    expect(calls.slice(3)).toEqual(['quiet0-0', 'busy3-0', 'quiet1-0', 'busy4-0']);
  });

  test('an abort is carried out before every launch, but after earlier intents of its own task', async () => {
    const { kube, calls } = aCluster();
    const abort: Intent = { type: 'patch', kind: 'AnalysisTask', name: 'x', patch: { n: 9, spec: { abort: true } } };
    await addFor('busy', patch('x', 1), ...names('busy', 3));
    await addFor('quiet', abort, { ...abort, name: 'y' });
    await drainSome(6, kube);
    expect(calls).toEqual(['y9', 'x1', 'x9', 'busy0-0', 'busy1-0', 'busy2-0']);
  });

  test('no transaction is open during a call to the cluster, and no other process takes a running intent', async () => {
    const open: number[] = [];
    const { kube, calls } = aCluster(async () => {
      const { rows } = await database.db.raw(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in tr%'`,
      );
      open.push(Number(rows[0].n));
      expect(await dispatchOne(aDispatcher(kube), signal)).toBe(false);
    });
    await add(patch('a', 1));
    await drain(aDispatcher(kube));
    expect(open).toEqual([0]);
    expect(calls).toEqual(['a1']);
  });

  test('the lease of a dead process expires, and its late results are not recorded', async () => {
    await add(patch('a', 1));
    const dead = (await takeIntent(database.db, new Date(1_000)))!;
    const { kube, calls } = aCluster();
    expect(await dispatchOne(aDispatcher(kube), signal)).toBe(false);
    await database.db('outbox').update({ leased_until: new Date(Date.now() - 1) });
    await drain(aDispatcher(kube));
    expect(calls).toEqual(['a1']);
    expect(await database.db.transaction((trx) => settleIntent(trx, dead, { state: 'failed' }))).toBe(false);
    expect(await database.db('outbox').first('state', 'attempts')).toEqual({ state: 'done', attempts: 2 });
  });

  test('a lease is renewed during a long call', async () => {
    const { kube, calls } = aCluster(async () => {
      await wait(12_000);
      expect(await dispatchOne(aDispatcher(kube), signal)).toBe(false);
    });
    await add(patch('a', 1));
    await drain(aDispatcher(kube));
    expect(calls).toEqual(['a1']);
  }, 30_000);

  test('[K8S-26] a process that was killed holds its intents for less than ten seconds', async () => {
    await add(patch('a', 1));
    await takeIntent(database.db, new Date(1_000));
    const due = (await nextDueMs(database.db, new Date(1_000)))!;
    expect(due).toBeGreaterThan(3_000);
    expect(due).toBeLessThan(10_000);
  });

  test('a process that stops releases its unfinished intents at once', async () => {
    const stop = new AbortController();
    const { kube } = aCluster(async () => {
      stop.abort();
      throw new Error('the call was cut off');
    });
    await add(patch('a', 1));
    expect(await dispatchOne(aDispatcher(kube), stop.signal)).toBe(false);
    expect(await database.db('outbox').first('state', 'leased_until')).toEqual({
      state: 'pending',
      leased_until: null,
    });
  });
});

async function drainSome(count: number, kube: KubeWriter): Promise<void> {
  for (let i = 0; i < count; i++) await dispatchOne(aDispatcher(kube), signal);
}

test('the ids of a launch become annotations of its resource', async () => {
  const id = '6f1c2c4e-0000-4000-8000-0000000000aa';
  const spec = JSON.stringify({ group: 'g1', project: 'p1' });
  await database
    .db('task')
    .insert(aTaskRow(id, { spec, created: new Date(), status: 'queued', launch_hash: 'h', frozen: '{}' }));
  const created: unknown[] = [];
  const kube = { create: async (_: unknown, object: unknown) => created.push(object) } as unknown as KubeWriter;
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await add({ type: 'launch', task: id, correlation: { requestId: 'r-1', traceparent } });
  await drain(aDispatcher(kube));
  expect(created).toMatchObject([
    {
      metadata: {
        name: id,
        annotations: {
          'seqpanel.dev/launch': 'h',
          'seqpanel.dev/request-id': 'r-1',
          'seqpanel.dev/traceparent': traceparent,
        },
      },
    },
  ]);
});

test('frozen files are stored once per content and written atomically, without leftovers', async () => {
  const files = withManifest([
    { name: 'panel.json', content: Buffer.from('{"a":1}') },
    { name: 'preset.json', content: Buffer.from('{"b":2}') },
  ]);
  const index = await database.db.transaction(async (trx) => {
    await keepFrozen(trx, files);
    return await keepFrozen(trx, files);
  });
  await writeFrozen(database.db, folder, 't1', index);
  await writeFrozen(database.db, folder, 't1', index);
  expect(readdirSync(join(folder, 'tasks/t1')).sort()).toEqual(['frozen.json', 'panel.json', 'preset.json']);
  expect(readFileSync(join(folder, 'tasks/t1/panel.json'), 'utf8')).toBe('{"a":1}');
  expect(await database.db('frozen_file')).toHaveLength(3);
});

test('the folders that pods mount exist before their task, so that no kubelet creates them as root', async () => {
  for (let repeated = 0; repeated < 2; repeated++) await makeMountedFolders(folder, { group: 'g1', project: 'p1' });
  for (const mounted of ['annotation', 'cache/g1', 'kept/g1', 'projects/g1/p1'])
    expect(statSync(join(folder, mounted)).isDirectory()).toBe(true);
});
