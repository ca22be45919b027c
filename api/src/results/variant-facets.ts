/** Counts the values and ranges of the variant table's columns. */

import { VARIANT_COLUMNS, type VariantColumn } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import type { AnswerOf } from '../feature.ts';
import { chosenOf, type FacetQuery, readSampleCounts, type SampleCounts, sum, whereSql } from './variant-selection.ts';
import { expressionOf, type Sql } from './variant-sql.ts';

const MAX_FACET_VALUES = 100;

export async function listFacets(db: Knex, taskId: string, query: FacetQuery): Promise<AnswerOf<'listVariantFacets'>> {
  const { show = 'kept' } = query;
  const samples = await readSampleCounts(db, taskId);
  const chosen = chosenOf(samples, query.sample);
  const where = whereSql(taskId, query, show, chosen);
  const ranges = VARIANT_COLUMNS.filter(({ facet }) => facet === 'range');
  const lists = VARIANT_COLUMNS.filter(({ facet, type }) => facet === 'values' && type === 'list');
  const [bounds, values, ...unnested] = await Promise.all([
    readBounds(db, where, ranges),
    readValues(db, where, samples),
    ...lists.map((column) => readListValues(db, where, column)),
  ]);
  return {
    count: bounds.count,
    funnel: { all: sum(chosen, 'all'), called: sum(chosen, 'called'), kept: sum(chosen, 'kept') },
    values: Object.fromEntries([...values, ...lists.map(({ key }, i) => [key, unnested[i]!] as const)]),
    ranges: bounds.ranges,
  };
}

type FacetValue = { value: string | null; count: number };

async function readBounds(db: Knex, where: Sql, columns: readonly VariantColumn[]) {
  const bounds = columns.flatMap((column) => [
    `min(${expressionOf(column)}) AS "${column.key}_min"`,
    `max(${expressionOf(column)}) AS "${column.key}_max"`,
  ]);
  const { rows } = await db.raw<{ rows: [{ n: number } & Record<string, number | null>] }>(
    `SELECT count(*) AS n, ${bounds.join(', ')} FROM call c WHERE ${where.text}`,
    where.bindings,
  );
  const row = rows[0];
  return {
    count: row.n,
    ranges: Object.fromEntries(
      columns.map(({ key }) => [key, { min: row[`${key}_min`] ?? null, max: row[`${key}_max`] ?? null }]),
    ),
  };
}

/** Counts all enumerated columns in one scan. Each grouping set counts the values of one column. */
async function readValues(db: Knex, where: Sql, samples: readonly SampleCounts[]): Promise<[string, FacetValue[]][]> {
  const columns = VARIANT_COLUMNS.filter(({ facet, type }) => facet === 'values' && type !== 'list');
  const names = new Map(samples.map(({ idx, name }) => [String(idx), name]));
  const expressions = columns.map((column) => (column.key === 'sample' ? 'c.sample_idx' : expressionOf(column)));
  const { rows } = await db.raw<{ rows: (FacetValue & { set: number })[] }>(
    `SELECT GROUPING(${expressions.join(', ')}) AS set, coalesce(${expressions.map((e) => `(${e})::text`).join(', ')}) AS value, count(*) AS count
       FROM call c WHERE ${where.text} GROUP BY GROUPING SETS (${expressions.map((e) => `(${e})`).join(', ')})`,
    where.bindings,
  );
  const found = columns.map(() => [] as FacetValue[]);
  for (const { set, value, count } of rows) {
    // GROUPING has a 0 bit for the grouped column. The first column has the highest bit.
    const index = columns.findIndex((_, i) => ((set >> (columns.length - 1 - i)) & 1) === 0);
    const isSample = columns[index]?.key === 'sample';
    found[index]?.push({ value: isSample ? (names.get(value ?? '') ?? value) : value, count });
  }
  return columns.map(({ key }, i) => [key, mostFrequent(found[i]!)]);
}

async function readListValues(db: Knex, where: Sql, column: VariantColumn): Promise<FacetValue[]> {
  const { rows } = await db.raw<{ rows: FacetValue[] }>(
    `SELECT v AS value, count(*) AS count FROM call c, unnest(${expressionOf(column)}) v WHERE ${where.text} GROUP BY v`,
    where.bindings,
  );
  return mostFrequent(rows);
}

const mostFrequent = (values: FacetValue[]): FacetValue[] =>
  values.sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1)).slice(0, MAX_FACET_VALUES);
