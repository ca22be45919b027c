/**
 * The condition language as SQL with `?` bindings, for Postgres; it says what evaluate.ts says of every row, which a
 * property test holds on a real server. The table keeps NULL, never '' or '.', for what is missing. A test of NULL is
 * NULL and drops the row, as it should; so conditions stay plain, and an index can serve them.
 */

import type { Condition, ConditionGroup, Filter } from './ast.ts';
import { fieldType } from './fields.ts';

export interface Sql {
  sql: string;
  bindings: (string | number | boolean)[];
}

/** The SQL expression of a field: a quoted column, never user input. Undefined for a field that the table lacks. */
export type ColumnOf = (field: string) => string | undefined;

const FALSE: Sql = { sql: 'FALSE', bindings: [] };
const TRUE: Sql = { sql: 'TRUE', bindings: [] };
const OPERATORS = new Set(['=', '<', '<=', '>', '>=']);

const join = (parts: readonly Sql[], word: 'AND' | 'OR', empty: Sql): Sql =>
  parts.length === 0
    ? empty
    : { sql: `(${parts.map((p) => p.sql).join(` ${word} `)})`, bindings: parts.flatMap((p) => p.bindings) };

/** LIKE's own signs as themselves. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

function testOf(column: string, { field, operator, value }: Condition): Sql {
  const type = fieldType(field);
  const fits = (item: unknown): boolean => typeof item === (type === 'number' || type === 'boolean' ? type : 'string');
  // A whole-number column is compared with any number.
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

/** One condition. A field that the table lacks is missing in every row. */
export function compileCondition(condition: Condition, columnOf: ColumnOf): Sql {
  const column = columnOf(condition.field);
  if (column === undefined) return condition.missingPasses ? TRUE : FALSE;
  const test = testOf(column, condition);
  return condition.missingPasses ? { sql: `(${column} IS NULL OR ${test.sql})`, bindings: test.bindings } : test;
}

function compileFilter(filter: Filter, columnOf: ColumnOf): Sql {
  if (filter.disabled) return FALSE;
  return join(
    filter.conditions.map((condition) => compileCondition(condition, columnOf)),
    'AND',
    TRUE,
  );
}

const compileGroup = (group: ConditionGroup, columnOf: ColumnOf): Sql =>
  join(
    group.filters.map((filter) => compileFilter(filter, columnOf)),
    'OR',
    FALSE,
  );

/** Whether any group matches, as a boolean expression; TRUE when there is no group. */
export function compileGroups(groups: readonly ConditionGroup[], columnOf: ColumnOf): Sql {
  return join(
    groups.map((group) => compileGroup(group, columnOf)),
    'OR',
    TRUE,
  );
}

/** The name of the first group that matches, as a text expression; NULL when none does. */
export function compileGroupName(groups: readonly ConditionGroup[], columnOf: ColumnOf): Sql {
  if (groups.length === 0) return { sql: 'NULL', bindings: [] };
  const parts = groups.map((group) => ({ name: group.name, when: compileGroup(group, columnOf) }));
  return {
    sql: `CASE ${parts.map(({ when }) => `WHEN ${when.sql} THEN ?`).join(' ')} END`,
    bindings: parts.flatMap(({ name, when }) => [...when.bindings, name]),
  };
}
