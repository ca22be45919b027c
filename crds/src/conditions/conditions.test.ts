import { describe, expect, test } from '@jest/globals';
import { variantColumn } from '../variant-columns.ts';
import type { Condition, ConditionGroup } from './ast.ts';
import { conditionProblem } from './condition-rules.ts';
import { evaluateGroups } from './evaluate.ts';
import { FILTER_FIELDS, fieldType } from './fields.ts';

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
    group(
      'tier 1',
      [is('vaf', '>=', 0.05), is('impact', '=', 'HIGH')],
      [is('clinical_significance', 'contains', 'Pathogenic')],
    ),
    group('tier 2', [is('population_af', '<', 0.01, true)]),
  ];

  test('a filter is the AND of its conditions, a group the OR of its filters, and the first matching group names the row', () => {
    expect(evaluateGroups(groups, { vaf: 0.1, impact: 'HIGH', population_af: 0.5 })).toEqual({
      pass: true,
      group: 'tier 1',
      filter: 'f1',
      bits: '1100',
      missing: '0010',
    });
    expect(
      evaluateGroups(groups, { vaf: 0.01, impact: 'HIGH', clinical_significance: 'Likely_Pathogenic' }),
    ).toMatchObject({
      group: 'tier 1',
      filter: 'f2',
    });
    expect(evaluateGroups(groups, { vaf: 0.1, impact: 'LOW', clinical_significance: '.' })).toMatchObject({
      group: 'tier 2',
      bits: '1001',
      missing: '0011',
    });
  });

  test('a list field matches when one of its values matches', () => {
    const reasons = { filter: 'low_vaf;strand_bias' };
    const passes = (...condition: Parameters<typeof is>) =>
      evaluateGroups([group('g', [is(...condition)])], reasons).pass;
    expect(passes('filter', '=', 'strand_bias')).toBe(true);
    expect(passes('filter', '!=', 'strand_bias')).toBe(false);
    expect(passes('filter', 'in', ['PASS', 'low_vaf'])).toBe(true);
    expect(passes('filter', 'not in', ['PASS'])).toBe(true);
    expect(passes('filter', 'contains', 'strand')).toBe(false);
  });

  test('a field without a value passes only where its condition allows it', () => {
    expect(evaluateGroups([group('g', [is('depth', '>', 10)])], { depth: '.' }).pass).toBe(false);
    expect(evaluateGroups([group('g', [is('depth', '>', 10, true)])], { depth: null }).pass).toBe(true);
  });

  test('without groups everything passes, and a disabled filter matches nothing but keeps its bits', () => {
    expect(evaluateGroups([], { vaf: 0 })).toEqual({ pass: true, bits: '', missing: '' });
    const disabled = { name: 'g', filters: [{ name: 'f', conditions: [is('vaf', '>', 0)], disabled: true }] };
    expect(evaluateGroups([disabled], { vaf: 1 })).toEqual({ pass: false, bits: '1', missing: '0' });
  });
});

describe('a condition', () => {
  test('on quality accepts 0 to 40', () => {
    expect(conditionProblem(is('quality', '>=', 40))).toBeUndefined();
    expect(conditionProblem(is('quality', '>=', 41))).toEqual({ code: 'number_max', values: { max: 40 } });
    expect(conditionProblem(is('quality', '>=', -1))).toEqual({ code: 'number_min', values: { min: 0 } });
  });

  test('[PRESET-12] that is incomplete, or whose operator does not fit the field, is rejected', () => {
    expect(conditionProblem(is('gene', '=', ''))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('gene', 'in', []))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('gene', 'in', ['BRAF', '']))?.code).toBe('filter_incomplete');
    expect(conditionProblem(is('vaf', 'contains', 'x'))?.code).toBe('choice_invalid');
    expect(conditionProblem(is('vaf', '>', '0.1' as never))?.code).toBe('number_invalid');
    for (const unknown of ['magic', 'constructor'])
      expect(conditionProblem(is(unknown, '=', 'x'))?.code).toBe('choice_invalid');
  });
});

test('a field has the name and the type of its column in the variant table', () => {
  const only = FILTER_FIELDS.filter((field) => !variantColumn(field));
  // Columns that the table shows in another way: a mark, the run, the NTC.
  expect(only).toEqual(['is_hotspot', 'run_samples', 'ntc_fragments']);
  const fields = ['filter', 'gene', 'impact', 'vaf', 'depth', 'called', 'is_hotspot', 'run_samples', 'constructor'];
  expect(fields.map(fieldType).join(' ')).toBe('list text text number number boolean boolean number text');
});
