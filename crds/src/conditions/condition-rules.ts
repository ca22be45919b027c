/** Rules for the operator and value of a condition, by the type of its field. */

import { type FieldProblem, numberProblem } from '../field-rules.ts';
import type { Condition, Operator } from './ast.ts';
import { FILTER_FIELDS, type FieldType, fieldType } from './fields.ts';

/** Operators of each type of field, in menu order. */
const OPERATORS: Readonly<Record<FieldType, readonly Operator[]>> = {
  number: ['=', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  text: ['=', '!=', 'in', 'not in', 'contains', 'starts with'],
  boolean: ['=', '!='],
  list: ['=', '!=', 'in', 'not in'],
};

/** Limits of values: quality is Phred from 0 to 40 [TERT-09], shares are fractions. */
const LIMITS: Readonly<Record<string, { min: number; max: number }>> = {
  quality: { min: 0, max: 40 },
  vaf: { min: 0, max: 1 },
  strand_ratio: { min: 0, max: 1 },
  strand_p: { min: 0, max: 1 },
  population_af: { min: 0, max: 1 },
  sift: { min: 0, max: 1 },
  polyphen: { min: 0, max: 1 },
};

/** Returns the problem of a condition's operator or value for the field's type, or undefined. Does not check limits. */
export function formProblem({ operator, value }: Condition, type: FieldType): FieldProblem | undefined {
  const operators = OPERATORS[type];
  if (!operators.includes(operator)) return { code: 'choice_invalid', values: { choices: operators.join(', ') } };
  const listed = operator === 'in' || operator === 'not in';
  if (listed !== Array.isArray(value)) return { code: 'filter_incomplete' };
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) return { code: 'filter_incomplete' };
  for (const item of values) {
    if (item === undefined || item === null || item === '') return { code: 'filter_incomplete' };
    if (type === 'boolean' && typeof item !== 'boolean')
      return { code: 'choice_invalid', values: { choices: 'true, false' } };
    if ((type === 'text' || type === 'list') && typeof item !== 'string') return { code: 'filter_incomplete' };
    if (type === 'number' && !Number.isFinite(item)) return { code: 'number_invalid' };
  }
  return undefined;
}

/** Returns the first rule that a preset's condition breaks, or undefined. */
export function conditionProblem(condition: Condition): FieldProblem | undefined {
  if (!(FILTER_FIELDS as readonly string[]).includes(condition.field))
    return { code: 'choice_invalid', values: { choices: FILTER_FIELDS.join(', ') } };
  const type = fieldType(condition.field);
  const problem = formProblem(condition, type);
  if (problem || type !== 'number') return problem;
  for (const value of [condition.value].flat()) {
    const wrong = numberProblem(value, LIMITS[condition.field]);
    if (wrong) return wrong;
  }
  return undefined;
}
