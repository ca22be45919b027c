/**
 * Compiles conditions to SQL with `?` bindings for Postgres. A property test on a real server holds it to evaluate.ts.
 * The table stores NULL, never '' or '.', for a missing value. A test of NULL yields NULL and drops the row, so the SQL
 * stays simple and can use an index.
 */

import type { Condition } from './ast.ts';
import { fieldType } from './fields.ts';

export interface Sql {
  sql: string;
  bindings: (string | number | boolean)[];
}

/** Returns the SQL expression of a field: a quoted column, never user input. Undefined when the table lacks the field. */
export type ColumnOf = (field: string) => string | undefined;

const FALSE: Sql = { sql: 'FALSE', bindings: [] };
const TRUE: Sql = { sql: 'TRUE', bindings: [] };
const OPERATORS = new Set(['=', '<', '<=', '>', '>=']);

/** Escapes the wildcards of LIKE. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

function testOf(column: string, { field, operator, value }: Condition): Sql {
  const type = fieldType(field);
  const fits = (item: unknown): boolean => typeof item === (type === 'number' || type === 'boolean' ? type : 'string');
  // Cast, because a whole-number column may be compared with a fraction.
  const mark = type === 'number' ? '?::double precision' : '?';
  const isIn = operator === 'in';
  if (Array.isArray(value)) {
    const items = value.filter(fits);
    if (!isIn && operator !== 'not in') return FALSE;
    if (items.length === 0) return isIn ? FALSE : { sql: `${column} IS NOT NULL`, bindings: [] };
    const marks = items.map(() => mark).join(', ');
    if (type === 'list') return amongSql(column, isIn, marks, items);
    return { sql: `${column} ${isIn ? 'IN' : 'NOT IN'} (${marks})`, bindings: items };
  }
  if (!fits(value)) return FALSE;
  if (type === 'list')
    return operator === '=' || operator === '!=' ? amongSql(column, operator === '=', '?', [value]) : FALSE;
  if (operator === '!=') return { sql: `${column} <> ${mark}`, bindings: [value] };
  if (operator === '=') return { sql: `${column} = ${mark}`, bindings: [value] };
  if (type === 'number' && OPERATORS.has(operator)) return { sql: `${column} ${operator} ${mark}`, bindings: [value] };
  if (type !== 'text') return FALSE;
  const like = (pattern: string): Sql => ({ sql: `${column} LIKE ? ESCAPE '\\'`, bindings: [pattern] });
  if (operator === 'contains') return like(`%${literal(value as string)}%`);
  return operator === 'starts with' ? like(`${literal(value as string)}%`) : FALSE;
}

const amongSql = (column: string, found: boolean, marks: string, bindings: Sql['bindings']): Sql => ({
  sql: `${found ? '' : 'NOT '}(${column} && ARRAY[${marks}]::text[])`,
  bindings,
});

/** Compiles one condition. A field that the table lacks has no value in any row. */
export function compileCondition(condition: Condition, columnOf: ColumnOf): Sql {
  const column = columnOf(condition.field);
  if (column === undefined) return condition.missingPasses ? TRUE : FALSE;
  const test = testOf(column, condition);
  return condition.missingPasses ? { sql: `(${column} IS NULL OR ${test.sql})`, bindings: test.bindings } : test;
}
