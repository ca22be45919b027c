/** Which operators and values suit a field of a condition (SPEC 5, 9). */

import { type FieldProblem, numberProblem } from '../field-rules.ts';
import type { Condition, Operator } from './ast.ts';
import { FILTER_FIELDS, type FieldType } from './fields.ts';

const OPERATORS: Readonly<Record<FieldType, readonly Operator[]>> = {
  number: ['=', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  text: ['=', '!=', 'in', 'not in', 'contains', 'starts with'],
  boolean: ['=', '!='],
};

/** The operators that a field's type allows, in the order of a menu. */
export const operatorsOf = (type: FieldType): readonly Operator[] => OPERATORS[type];

/** Quality is Phred from 0 to 40, shares are fractions. */
const LIMITS: Readonly<Record<string, { min: number; max: number }>> = {
  quality: { min: 0, max: 40 },
  vaf: { min: 0, max: 1 },
  strand_ratio: { min: 0, max: 1 },
  strand_p: { min: 0, max: 1 },
  population_af: { min: 0, max: 1 },
  sift: { min: 0, max: 1 },
  polyphen: { min: 0, max: 1 },
};

/** The first rule that a condition breaks; undefined when it is whole and suits its field. */
export function conditionProblem(condition: Condition): FieldProblem | undefined {
  const type = (FILTER_FIELDS as Record<string, FieldType>)[condition.field];
  if (!type) return { code: 'choice_invalid', values: { choices: Object.keys(FILTER_FIELDS).join(', ') } };
  const operators = OPERATORS[type];
  if (!operators.includes(condition.operator))
    return { code: 'choice_invalid', values: { choices: operators.join(', ') } };
  const listed = condition.operator === 'in' || condition.operator === 'not in';
  if (listed !== Array.isArray(condition.value)) return { code: 'filter_incomplete' };
  const values: readonly unknown[] = Array.isArray(condition.value) ? condition.value : [condition.value];
  if (values.length === 0) return { code: 'filter_incomplete' };
  for (const value of values) {
    if (value === undefined || value === null || value === '') return { code: 'filter_incomplete' };
    if (type === 'boolean' && typeof value !== 'boolean')
      return { code: 'choice_invalid', values: { choices: 'true, false' } };
    if (type === 'text' && typeof value !== 'string') return { code: 'filter_incomplete' };
    if (type === 'number' && typeof value !== 'number') return { code: 'number_invalid' };
    const wrong = type === 'number' ? numberProblem(value, LIMITS[condition.field]) : undefined;
    if (wrong) return wrong;
  }
  return undefined;
}
