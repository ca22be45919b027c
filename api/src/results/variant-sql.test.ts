import { randomUUID } from 'node:crypto';
import type { Condition, ConditionGroup, Row } from '@seqpanel/crds/conditions/ast.ts';
import { compileGroupName, compileGroups } from '@seqpanel/crds/conditions/compile-sql.ts';
import { evaluateGroups } from '@seqpanel/crds/conditions/evaluate.ts';
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
const groups: fc.Arbitrary<ConditionGroup[]> = fc.array(
  fc.record({
    name: fc.constantFrom('A', 'B', 'C'),
    filters: fc.array(
      fc.record({ name: fc.constant('f'), conditions: fc.array(condition, { maxLength: 3 }), disabled: fc.boolean() }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 3 },
);
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

test('the SQL of conditions and their evaluator agree on every row', async () => {
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
    fc.asyncProperty(groups, async (asked) => {
      const where = compileGroups(asked, columnOf);
      const name = compileGroupName(asked, columnOf);
      const found = await db.raw(
        `SELECT coalesce(${where.sql}, FALSE) AS pass, ${name.sql} AS name FROM call c WHERE task_id = ? ORDER BY pos`,
        [...where.bindings, ...name.bindings, task],
      );
      const verdicts = rows.map((each) => {
        const seen: Row = { ...each, filter: each.filter.length === 0 ? 'PASS' : each.filter };
        const { pass, group } = evaluateGroups(asked, seen);
        return { pass, name: group ?? null };
      });
      expect(found.rows).toEqual(verdicts);
    }),
    { numRuns: 300 },
  );
}, 120_000);
