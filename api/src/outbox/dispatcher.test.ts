import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorFor } from '@seqpanel/crds/kube/errors.ts';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import type { KubeWriter } from './carry-out.ts';
import { type DispatcherOptions, dispatchOne } from './dispatcher.ts';
import { keepFrozen, makeMountedFolders, withManifest, writeFrozen } from './frozen-files.ts';
import { enqueueIntent, type Intent } from './intent.ts';

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

const signal = new AbortController().signal;
const patch = (name: string, n: number): Intent => ({ type: 'patch', kind: 'AnalysisTask', name, patch: { n } });
const add = (...intents: Intent[]) =>
  database.db.transaction(async (trx) => {
    for (const intent of intents) await enqueueIntent(trx, intent, new Date(0));
  });

/** A cluster that notes what it is asked, and answers as told. */
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
  test('intents of one object are carried out in their order, and one that waits holds back only its own', async () => {
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

  test('any number of dispatchers carry each intent out once', async () => {
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

  test('what is refused for good is not repeated, and its cause is told', async () => {
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

test('frozen files are kept once by content, and written whole, with nothing left over', async () => {
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

test('the folders that pods mount are there before a task is, so that no kubelet makes them as root', async () => {
  for (let repeated = 0; repeated < 2; repeated++) await makeMountedFolders(folder, { group: 'g1', project: 'p1' });
  for (const mounted of ['annotation', 'cache/g1', 'kept/g1', 'projects/g1/p1'])
    expect(statSync(join(folder, mounted)).isDirectory()).toBe(true);
});
