/** Evaluates the condition language (ast.ts). A property test compares it with compile-sql.ts. */

import type { Condition, ConditionGroup, Filter, Row } from './ast.ts';
import { fieldType } from './fields.ts';

/** Returns a row's value in a field, converted to the field's type, or undefined. A list may be given as `a;b`. */
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

/** Tests the values of a list. `=` and `in` match when any wanted value is in it. */
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

/** Tests one condition on one row. An operator that does not fit the field's type never matches; the rules reject it. */
export function evaluateCondition(condition: Condition, row: Row): { pass: boolean; missing: boolean } {
  const value = fieldValue(row, condition.field);
  if (value === undefined) return { pass: condition.missingPasses, missing: true };
  const pass = isList(value) ? isAmong(value, condition) : compares(value, condition);
  return { pass, missing: false };
}

/** Returns the conditions of all groups in the order of their bits in trace.tsv.gz. */
export function conditionsInOrder(groups: readonly ConditionGroup[]): Condition[] {
  return groups.flatMap((group) => group.filters.flatMap((filter) => filter.conditions));
}

export interface Verdict {
  /** True when a group matches or there is no group. */
  pass: boolean;
  /** The first matching group and its first matching filter. */
  group?: string;
  filter?: string;
  /** One `1` or `0` per condition, in the order of conditionsInOrder, with those of disabled filters: whether it passes. */
  bits: string;
  /** One `1` or `0` per condition: whether its field has no value. */
  missing: string;
}

/** Evaluates all groups on a row. */
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
