import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import { aTaskRow } from '../../../test-support/task-row.ts';
import { readSeen } from '../../results/variant-row.ts';
import { writeObservations } from './observations.ts';
import type { IngestTask } from './part.ts';

let database: TestDatabase;
let db: Knex;
const group = randomUUID();
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database?.close());

/** Writes the calls of one sample as a separate task whose files have the hash. */
async function analysed(panel: string, hash: string, alleles: readonly string[], qcType = 'Sample'): Promise<void> {
  const id = randomUUID();
  await db('task').insert(
    aTaskRow(id, { group_id: group, panel_value: panel, created: new Date(), status: 'completed' }),
  );
  for (const [i, key] of alleles.entries())
    await db('call').insert({
      ...{ task_id: id, sample_idx: 0, allele_key: key, chrom_order: 0, chrom: '17', pos: i, ref: 'A', alt: 'G' },
      ...{ type: 'SNV', length: 1, filter: [], called: true, kept: true, vaf: 0.5, depth: 100 },
    });
  const task: IngestTask = {
    id,
    group_id: group,
    panel_value: panel,
    phase: null,
    vanished: false,
    bundle: null,
    frozen: {},
    resource_name: null,
  };
  const input = {
    ...{ idx: 0, name: 'S1', qcType, inputs: [hash], bundle: '', contigs: new Map(), reportFloor: 0.05, minDepth: 50 },
  };
  await db.transaction((trx) => writeObservations({ trx, task, now: new Date() }, input));
}

const seen = async (panel: string, ...keys: string[]) => {
  const { counts, of } = await readSeen(db, { id: '', group_id: group, panel_value: panel }, keys);
  return { of, counts: keys.map((key) => counts.get(key) ?? 0) };
};

test('an allele is counted once for each specimen with a call', async () => {
  await analysed('p1', 'a', ['x', 'y']);
  await analysed('p1', 'b', ['x']);
  expect(await seen('p1', 'x', 'y', 'z')).toEqual({ of: 2, counts: [2, 1, 0] });
});

test('a reanalysed specimen counts once, with its latest calls', async () => {
  await analysed('p2', 'a', ['x', 'y']);
  await analysed('p2', 'a', ['y', 'z']);
  expect(await seen('p2', 'x', 'y', 'z')).toEqual({ of: 1, counts: [0, 1, 1] });
});

test('controls and other panels do not count', async () => {
  await analysed('p3', 'a', ['x']);
  await analysed('p3', 'b', ['x'], 'PosCtrl');
  await analysed('p4', 'c', ['x']);
  expect(await seen('p3', 'x')).toEqual({ of: 1, counts: [1] });
});

test('specimens with common alleles are ingested in parallel without a deadlock', async () => {
  const alleles = Array.from({ length: 200 }, (_, i) => `k${i}`);
  const shuffled = (n: number) =>
    alleles.toSorted((a, b) => ((Number(a.slice(1)) * n) % 211) - ((Number(b.slice(1)) * n) % 211));
  await Promise.all([3, 5, 7, 11, 13, 17].map((n) => analysed('p5', `specimen ${n}`, shuffled(n))));
  expect(await seen('p5', 'k0', 'k199')).toEqual({ of: 6, counts: [6, 6] });
});
