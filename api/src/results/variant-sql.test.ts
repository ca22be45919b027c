import { randomUUID } from 'node:crypto';
import type { Condition, Row } from '@seqpanel/crds/conditions/ast.ts';
import { compileCondition } from '@seqpanel/crds/conditions/compile-sql.ts';
import { evaluateCondition } from '@seqpanel/crds/conditions/evaluate.ts';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { columnOf } from './variant-sql.ts';

// Columns of every type with few values each, so that equal ones occur often. `run_samples` is not in the table.
const numbers = fc.constantFrom(0, 0.05, 0.1, 1, 7, -3);
const texts = fc.constantFrom('BRAF', 'BRAF2', 'braf', 'a%b', 'a_b', 'a\\b', 'missense&splice', 'x');
const reasons = fc.constantFrom('low_vaf', 'strand_bias', 'PASS', 'x');
const condition: fc.Arbitrary<Condition> = fc.record({
  field: fc.constantFrom('vaf', 'depth', 'gene', 'consequence', 'called', 'filter', 'group', 'run_samples'),
  operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'contains', 'starts with'),
  value: fc.oneof(numbers, texts, reasons, fc.boolean(), fc.array(fc.oneof(numbers, texts, reasons), { maxLength: 3 })),
  missingPasses: fc.boolean(),
});
const missing = fc.constantFrom('', '.');
const row = fc.record({
  vaf: fc.option(numbers),
  depth: fc.option(fc.constantFrom(0, 1, 7, 200)),
  gene: fc.option(fc.oneof(texts, missing)),
  consequence: fc.option(fc.oneof(texts, missing)),
  called: fc.boolean(),
  filter: fc.uniqueArray(fc.constantFrom('low_vaf', 'strand_bias', 'x'), { maxLength: 2 }),
  group: fc.option(fc.oneof(texts, missing)),
});

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Same as ingest: null for a missing value. */
const stored = (text: string | null): string | null => (text === '' || text === '.' ? null : text);

test('the SQL of a condition and its evaluator agree on every row', async () => {
  const { db } = database;
  const rows = fc.sample(row, { numRuns: 150, seed: 7 });
  const task = randomUUID();
  const fixed = {
    task_id: task,
    sample_idx: 0,
    chrom_order: 1,
    chrom: '1',
    ref: 'A',
    alt: 'G',
    type: 'SNV' as const,
    length: 1,
  };
  await db('call').insert(
    rows.map(({ group, gene, consequence, ...cells }, pos) => ({
      ...fixed,
      ...cells,
      allele_key: String(pos),
      pos,
      kept: false,
      gene: stored(gene),
      consequence: stored(consequence),
      post_group: stored(group),
    })),
  );
  await fc.assert(
    fc.asyncProperty(condition, async (asked) => {
      const { sql, bindings } = compileCondition(asked, columnOf);
      const found = await db.raw(`SELECT coalesce(${sql}, FALSE) AS pass FROM call c WHERE task_id = ? ORDER BY pos`, [
        ...bindings,
        task,
      ]);
      const verdicts = rows.map((each) => {
        const seen: Row = { ...each, filter: each.filter.length === 0 ? 'PASS' : each.filter };
        return { pass: evaluateCondition(asked, seen).pass };
      });
      expect(found.rows).toEqual(verdicts);
    }),
    { numRuns: 1000 },
  );
}, 120_000);
