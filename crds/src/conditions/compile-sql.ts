/** The condition language as SQL with `?` bindings, for Postgres; it says what evaluate.ts says. */

import type { Condition, ConditionGroup, Filter } from './ast.ts';
import { fieldType } from './evaluate.ts';

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
  const fits = (item: unknown): boolean => typeof item === (type === 'text' ? 'string' : type);
  if (Array.isArray(value)) {
    const items = value.filter(fits);
    if (operator !== 'in' && operator !== 'not in') return FALSE;
    if (items.length === 0) return operator === 'in' ? FALSE : TRUE;
    const list = items.map(() => '?').join(', ');
    return { sql: `${column} ${operator === 'in' ? 'IN' : 'NOT IN'} (${list})`, bindings: items };
  }
  if (!fits(value)) return FALSE;
  if (operator === '!=') return { sql: `${column} <> ?`, bindings: [value] };
  if (operator === '=') return { sql: `${column} = ?`, bindings: [value] };
  if (type === 'number' && OPERATORS.has(operator)) return { sql: `${column} ${operator} ?`, bindings: [value] };
  if (type !== 'text') return FALSE;
  const like = (pattern: string): Sql => ({ sql: `${column} LIKE ? ESCAPE '\\'`, bindings: [pattern] });
  if (operator === 'contains') return like(`%${literal(value as string)}%`);
  return operator === 'starts with' ? like(`${literal(value as string)}%`) : FALSE;
}

/** One condition. A field that the table lacks is missing in every row. */
export function compileCondition(condition: Condition, columnOf: ColumnOf): Sql {
  const column = columnOf(condition.field);
  if (column === undefined) return condition.missingPasses ? TRUE : FALSE;
  const there =
    fieldType(condition.field) === 'text'
      ? `(${column} IS NOT NULL AND ${column} <> '' AND ${column} <> '.')`
      : `${column} IS NOT NULL`;
  const test = testOf(column, condition);
  return condition.missingPasses
    ? { sql: `(NOT (${there}) OR ${test.sql})`, bindings: test.bindings }
    : { sql: `(${there} AND ${test.sql})`, bindings: test.bindings };
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
