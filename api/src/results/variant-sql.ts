/**
 * Builds SQL over `call` (alias c) for conditions, search and order of the variant table. Column names come only from
 * this list, and values are always bound. Pure.
 */

import type { Condition } from '@seqpanel/crds/conditions/ast.ts';
import { compileCondition } from '@seqpanel/crds/conditions/compile-sql.ts';
import { formProblem } from '@seqpanel/crds/conditions/condition-rules.ts';
import { fieldType } from '@seqpanel/crds/conditions/fields.ts';
import { type VariantColumn, variantColumn } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import { Invalid } from '../errors.ts';

export interface Sql {
  text: string;
  bindings: Knex.RawBinding[];
}

/** SQL expressions of columns that are not simply c.<key>. */
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

/** Returns the expression of a field of the condition language. The filter of a call without a reason is PASS. */
export function columnOf(field: string): string | undefined {
  if (field === 'filter') return "coalesce(nullif(c.filter, '{}'), '{PASS}')";
  const column = variantColumn(field);
  return column && expressionOf(column);
}

/** Parses an order such as `-vaf,pos`. Every order ends with the row's key, so that pages never overlap. */
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

/** Parses the `where` parameter. Throws Invalid unless it is a list of conditions on known columns. */
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
    if (formProblem(condition, fieldType(column.key))) throw new Invalid('filter_value_invalid', { field: column.key });
    return condition;
  });
}

/** Joins conditions with AND. */
export const conditionsSql = (conditions: readonly Condition[]): Sql[] =>
  conditions.map((condition) => {
    const { sql, bindings } = compileCondition(condition, columnOf);
    return { text: sql, bindings };
  });

/** Builds the search for a gene, HGVS, rsID, amplicon, chr:pos or chr:from-to. */
export function searchSql(q: string | undefined): Sql | undefined {
  const text = q?.trim() ?? '';
  if (text === '') return undefined;
  const place = /^([A-Za-z0-9_.]+):([\d,]+)(?:-([\d,]+))?$/.exec(text);
  if (place) {
    const from = Number(place[2]!.replaceAll(',', ''));
    const to = place[3] ? Number(place[3].replaceAll(',', '')) : from;
    const name = place[1]!;
    const other = name.startsWith('chr') ? name.slice(3) : `chr${name}`;
    // A deletion matches any of its bases.
    return {
      text: 'c.chrom IN (?, ?) AND c.pos <= ? AND c.pos + length(c.ref) - 1 >= ?',
      bindings: [name, other, to, from],
    };
  }
  // The column has the names in lower case, one per line.
  return { text: 'c.search LIKE lower(?)', bindings: [`%${text.replace(/[\\%_]/g, '\\$&')}%`] };
}
