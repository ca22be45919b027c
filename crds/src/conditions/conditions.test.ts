import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Condition, ConditionGroup, Row } from './ast.ts';
import { compileGroupName, compileGroups } from './compile-sql.ts';
import { conditionProblem } from './condition-rules.ts';
import { evaluateGroups } from './evaluate.ts';

const is = (
  field: string,
  operator: Condition['operator'],
  value: Condition['value'],
  missingPasses = false,
): Condition => ({
  field,
  operator,
  value,
  missingPasses,
});
const group = (name: string, ...filters: Condition[][]): ConditionGroup => ({
  name,
  filters: filters.map((conditions, i) => ({ name: `f${i + 1}`, conditions })),
});

describe('the evaluator', () => {
  const groups = [
    group('tier 1', [is('vaf', '>=', 0.05), is('impact', '=', 'HIGH')], [is('clinvar', 'contains', 'Pathogenic')]),
    group('tier 2', [is('population_af', '<', 0.01, true)]),
  ];

  test('a filter is the AND of its conditions, a group the OR of its filters, and the first group names the row', () => {
    expect(evaluateGroups(groups, { vaf: 0.1, impact: 'HIGH', population_af: 0.5 })).toEqual({
      pass: true,
      group: 'tier 1',
      filter: 'f1',
      bits: '1100',
      missing: '0010',
    });
    expect(evaluateGroups(groups, { vaf: 0.01, impact: 'HIGH', clinvar: 'Likely_Pathogenic' })).toMatchObject({
      group: 'tier 1',
      filter: 'f2',
    });
    expect(evaluateGroups(groups, { vaf: 0.1, impact: 'LOW', clinvar: '.' })).toMatchObject({
      group: 'tier 2',
      bits: '1001',
      missing: '0011',
    });
  });

  test('a field without a value passes only where its condition says so', () => {
    expect(evaluateGroups([group('g', [is('depth', '>', 10)])], { depth: '.' }).pass).toBe(false);
    expect(evaluateGroups([group('g', [is('depth', '>', 10, true)])], { depth: null }).pass).toBe(true);
  });

  test('no group filters nothing; a disabled filter matches nothing and keeps its bits', () => {
    expect(evaluateGroups([], { vaf: 0 })).toEqual({ pass: true, bits: '', missing: '' });
    const disabled = { name: 'g', filters: [{ name: 'f', conditions: [is('vaf', '>', 0)], disabled: true }] };
    expect(evaluateGroups([disabled], { vaf: 1 })).toEqual({ pass: false, bits: '1', missing: '0' });
  });
});

describe('a condition', () => {
  test('[TERT-09] on quality takes 0 to 40', () => {
    expect(conditionProblem(is('quality', '>=', 40))).toBeUndefined();
    expect(conditionProblem(is('quality', '>=', 41))).toEqual({ code: 'number_max', values: { max: 40 } });
    expect(conditionProblem(is('quality', '>=', -1))).toEqual({ code: 'number_min', values: { min: 0 } });
  });

  test('[PRESET-12] [TERT-08] that is not filled, or whose operator does not suit the field, is refused', () => {
    expect(conditionProblem(is('gene', '=', ''))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('gene', 'in', []))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('gene', 'in', ['BRAF', '']))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('vaf', 'contains', 'x'))?.code).toBe('choice_invalid');
    expect(conditionProblem(is('vaf', '>', '0.1' as never))?.code).toBe('number_invalid');
    expect(conditionProblem(is('magic', '=', 'x'))?.code).toBe('choice_invalid');
  });
});

// Columns of the three types, few values of each, so that equal ones meet often.
const FIELDS = { vaf: 'number', depth: 'number', gene: 'text', consequence: 'text', hotspot: 'boolean' } as const;
const numbers = fc.constantFrom(0, 0.05, 0.1, 1, 7, -3);
const texts = fc.constantFrom('BRAF', 'BRAF2', 'a%b', 'a_b', 'a\\b', 'missense&splice', 'x');
const condition: fc.Arbitrary<Condition> = fc.record({
  field: fc.constantFrom(...Object.keys(FIELDS), 'amplicon'),
  operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'contains', 'starts with'),
  value: fc.oneof(numbers, texts, fc.boolean(), fc.array(fc.oneof(numbers, texts), { maxLength: 3 })),
  missingPasses: fc.boolean(),
});
const groupsOf: fc.Arbitrary<ConditionGroup[]> = fc.array(
  fc.record({
    name: fc.constantFrom('A', 'B', 'C'),
    filters: fc.array(
      fc.record({ name: fc.constant('f'), conditions: fc.array(condition, { maxLength: 3 }), disabled: fc.boolean() }),
      { maxLength: 3 },
    ),
  }),
  { maxLength: 3 },
);
const row: fc.Arbitrary<Row> = fc.record({
  vaf: fc.option(numbers),
  depth: fc.option(numbers),
  gene: fc.option(fc.oneof(texts, fc.constantFrom('', '.'))),
  consequence: fc.option(texts),
  hotspot: fc.option(fc.boolean()),
});

test('the SQL of a filter and the evaluator agree on every row', () => {
  const db = new DatabaseSync(':memory:');
  // Postgres' LIKE minds the case; SQLite's does when told.
  db.exec(
    'PRAGMA case_sensitive_like = ON; CREATE TABLE call (vaf REAL, depth REAL, gene TEXT, consequence TEXT, hotspot INTEGER)',
  );
  const plain = (value: unknown): string | number | null =>
    typeof value === 'boolean' ? Number(value) : ((value ?? null) as string | number | null);
  const insert = db.prepare('INSERT INTO call VALUES (?, ?, ?, ?, ?)');
  const columnOf = (field: string): string | undefined => (field in FIELDS ? `"${field}"` : undefined);
  fc.assert(
    fc.property(groupsOf, row, (groups, values) => {
      db.exec('DELETE FROM call');
      insert.run(...Object.keys(FIELDS).map((field) => plain(values[field])));
      const where = compileGroups(groups, columnOf);
      const name = compileGroupName(groups, columnOf);
      const found = db
        .prepare(`SELECT ${where.sql} AS pass, ${name.sql} AS name FROM call`)
        .get(...where.bindings.map(plain), ...name.bindings.map(plain)) as { pass: number; name: string | null };
      const verdict = evaluateGroups(groups, values);
      expect({ pass: found.pass === 1, group: found.name ?? undefined }).toEqual({
        pass: verdict.pass,
        group: verdict.group,
      });
    }),
    { numRuns: 3000 },
  );
});
