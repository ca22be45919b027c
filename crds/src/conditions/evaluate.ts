/** The evaluator of the condition language (ast.ts). `compile-sql.ts` says the same in SQL; a property test compares the two. */

import type { Condition, ConditionGroup, Filter, Row } from './ast.ts';
import { fieldType } from './fields.ts';

/** A row's value in a field, in the field's type; undefined when there is none. A list may come as `a;b`. */
export function fieldValue(row: Row, field: string): number | string | boolean | readonly string[] | undefined {
  const value = row[field];
  if (value === undefined || value === null || value === '' || value === '.') return undefined;
  switch (fieldType(field)) {
    case 'number': {
      const number = typeof value === 'number' ? value : Number(value);
      return Number.isNaN(number) ? undefined : number;
    }
    case 'boolean':
      return value === true || value === 1 || value === '1' || value === 'true';
    case 'list':
      return Array.isArray(value) ? value.map(String) : String(value).split(';');
    case 'text':
      return String(value);
  }
}

/** Among the values of a list, or not: `=` and `in` look for any of the wanted ones. */
function isAmong(values: readonly string[], { operator, value: wanted }: Condition): boolean {
  const listed = operator === 'in' || operator === 'not in';
  if (listed !== Array.isArray(wanted)) return false;
  const found = [wanted].flat().some((item) => typeof item === 'string' && values.includes(item));
  if (operator === 'in' || operator === '=') return found;
  return operator === 'not in' || (operator === '!=' && typeof wanted === 'string') ? !found : false;
}

function compares(value: number | boolean | string, { operator, value: wanted }: Condition): boolean {
  if (Array.isArray(wanted)) {
    const among = wanted.some((item) => item === value);
    return operator === 'in' ? among : operator === 'not in' ? !among : false;
  }
  if (typeof wanted !== typeof value) return false;
  if (operator === '=') return value === wanted;
  if (operator === '!=') return value !== wanted;
  if (typeof value === 'string') {
    if (operator === 'contains') return value.includes(wanted as string);
    return operator === 'starts with' && value.startsWith(wanted as string);
  }
  if (typeof value !== 'number') return false;
  const limit = wanted as number;
  switch (operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    default:
      return false;
  }
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

/** One condition on one row. An operator that does not fit the field's type is never true (the rules refuse it). */
export function evaluateCondition(condition: Condition, row: Row): { pass: boolean; missing: boolean } {
  const value = fieldValue(row, condition.field);
  if (value === undefined) return { pass: condition.missingPasses, missing: true };
  const pass = isList(value) ? isAmong(value, condition) : compares(value, condition);
  return { pass, missing: false };
}

/** The conditions of all groups in the order in which their bits stand in trace.tsv.gz. */
export function conditionsInOrder(groups: readonly ConditionGroup[]): Condition[] {
  return groups.flatMap((group) => group.filters.flatMap((filter) => filter.conditions));
}

export interface Verdict {
  /** True when a group matches, or when there is no group at all: no filter filters nothing. */
  pass: boolean;
  /** The first group that matches, and its first filter that does. */
  group?: string;
  filter?: string;
  /** A `1` for each condition that passes, in the order of conditionsInOrder; those of disabled filters too. */
  bits: string;
  /** A `1` for each condition whose field has no value. */
  missing: string;
}

/** The verdict of all groups on a row. */
export function evaluateGroups(groups: readonly ConditionGroup[], row: Row): Verdict {
  let bits = '';
  let missing = '';
  let first: { group: string; filter: string } | undefined;
  const matches = (filter: Filter): boolean => {
    let all = true;
    for (const condition of filter.conditions) {
      const verdict = evaluateCondition(condition, row);
      bits += verdict.pass ? '1' : '0';
      missing += verdict.missing ? '1' : '0';
      all &&= verdict.pass;
    }
    return all && !filter.disabled;
  };
  for (const group of groups) {
    for (const filter of group.filters) {
      const matched = matches(filter);
      if (matched) first ??= { group: group.name, filter: filter.name };
    }
  }
  return { pass: groups.length === 0 || first !== undefined, ...first, bits, missing };
}
