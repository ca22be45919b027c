/**
 * Conditions, search and order of the variant table as SQL over `call` (alias c).
 * Names of columns come from the list here alone; values are always bound. Pure.
 */

import type { Condition } from '@seqpanel/crds/conditions/ast.ts';
import { type VariantColumn, variantColumn } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import { Invalid } from '../errors.ts';

export interface Sql {
  text: string;
  bindings: Knex.RawBinding[];
}

/** Expressions of columns that are not simply c.<key>. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  sample: '(SELECT s.name FROM task_sample s WHERE s.task_id = c.task_id AND s.idx = c.sample_idx)',
  pass: 'c.kept',
  group: 'c.post_group',
};
const ORDERS: Readonly<Record<string, string>> = {
  sample: 'c.sample_idx',
  chrom: 'c.chrom_order',
  impact: 'c.impact_order',
};

export const expressionOf = ({ key }: VariantColumn): string => EXPRESSIONS[key] ?? `c.${key}`;

const isNumeric = ({ type }: VariantColumn): boolean => type === 'number' || type === 'integer' || type === 'fraction';

/** `-vaf,pos`; every order ends with the row's identity, so that pages never overlap. */
export function orderSql(sort: string): string {
  const keys = sort.split(',').map((part) => {
    const descending = part.startsWith('-');
    const key = descending ? part.slice(1) : part;
    const column = variantColumn(key);
    if (!column?.sortable) throw new Invalid('filter_field_unknown', { field: key });
    return `${ORDERS[key] ?? expressionOf(column)} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS LAST'}`;
  });
  return [...new Set([...keys, 'c.sample_idx', 'c.chrom_order', 'c.pos', 'c.allele_key'])].join(', ');
}

/** Parses the `where` parameter; throws Invalid for what is no list of conditions on known columns. */
export function parseWhere(text: string | undefined): Condition[] {
  if (!text) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Invalid('request_invalid', undefined, { cause });
  }
  if (!Array.isArray(value)) throw new Invalid('request_invalid');
  return value.map((condition: Condition) => {
    const column = typeof condition?.field === 'string' ? variantColumn(condition.field) : undefined;
    if (!column?.filterable) throw new Invalid('filter_field_unknown', { field: String(condition?.field) });
    return condition;
  });
}

const COMPARISONS = new Set(['=', '!=', '<', '<=', '>', '>=']);

/**
 * One condition of a WHERE clause. A missing value makes the test NULL, which drops the row as it should; where the
 * condition lets missing values pass, that is said. Left plain, so that an index can serve it.
 */
export function conditionSql(condition: Condition): Sql {
  const column = variantColumn(condition.field)!;
  const test = testSql(column, condition);
  if (!condition.missingPasses) return test;
  return { text: `(${test.text} OR ${expressionOf(column)} IS NULL)`, bindings: test.bindings };
}

function testSql(column: VariantColumn, { operator, value }: Condition): Sql {
  const expression = expressionOf(column);
  const wrong = (): never => {
    throw new Invalid('filter_value_invalid', { field: column.key });
  };
  const scalar = (item: unknown): string | number | boolean => {
    if (isNumeric(column)) return typeof item === 'number' && Number.isFinite(item) ? item : wrong();
    if (column.type === 'boolean') return typeof item === 'boolean' ? item : wrong();
    return typeof item === 'string' ? item : wrong();
  };
  if (column.type === 'list') return listSql(expression, operator, value, wrong);
  if (operator === 'in' || operator === 'not in') {
    if (!Array.isArray(value) || value.length === 0) return wrong();
    const marks = value.map(() => '?').join(', ');
    return { text: `${expression} ${operator === 'in' ? 'IN' : 'NOT IN'} (${marks})`, bindings: value.map(scalar) };
  }
  if (operator === 'contains' || operator === 'starts with') {
    if (typeof value !== 'string' || isNumeric(column)) return wrong();
    const pattern = value.replace(/[\\%_]/g, '\\$&');
    return { text: `${expression} ILIKE ?`, bindings: [operator === 'contains' ? `%${pattern}%` : `${pattern}%`] };
  }
  if (!COMPARISONS.has(operator)) return wrong();
  if (!isNumeric(column) && operator !== '=' && operator !== '!=') return wrong();
  return { text: `${expression} ${operator === '!=' ? '<>' : operator} ?`, bindings: [scalar(value)] };
}

/** `filter in [...]`: any of them is among the reasons; an empty list of reasons is a value, not missing. */
function listSql(expression: string, operator: string, value: unknown, wrong: () => never): Sql {
  const items = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : wrong();
  if (operator === 'in' || operator === '=' || operator === 'contains')
    return { text: `${expression} && ?::text[]`, bindings: [items] as never };
  if (operator === 'not in' || operator === '!=')
    return { text: `NOT (${expression} && ?::text[])`, bindings: [items] as never };
  return wrong();
}

/** Gene, HGVS, rsID, amplicon, chr:pos or chr:from-to. */
export function searchSql(q: string | undefined): Sql | undefined {
  const text = q?.trim() ?? '';
  if (text === '') return undefined;
  const place = /^([A-Za-z0-9_.]+):([\d,]+)(?:-([\d,]+))?$/.exec(text);
  if (place) {
    const from = Number(place[2]!.replaceAll(',', ''));
    const to = place[3] ? Number(place[3].replaceAll(',', '')) : from;
    const name = place[1]!;
    const other = name.startsWith('chr') ? name.slice(3) : `chr${name}`;
    // A deletion is found by any base that it takes.
    return {
      text: 'c.chrom IN (?, ?) AND c.pos <= ? AND c.pos + length(c.ref) - 1 >= ?',
      bindings: [name, other, to, from],
    };
  }
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const fields = ['c.gene', 'c.hgvs_c', 'c.hgvs_p', 'c.hgvs_g', 'c.rsid', 'c.amplicon', 'c.transcript', 'c.hotspot'];
  return { text: `(${fields.map((field) => `${field} ILIKE ?`).join(' OR ')})`, bindings: fields.map(() => pattern) };
}
