/** A row of the variant table as the API answers it. */

import { valuesFrom } from '@seqpanel/crds/variant-columns.ts';
import type { Knex } from 'knex';
import type { CallTable } from '../db/tables/variants.ts';
import type { AnswerOf } from '../feature.ts';

export type VariantRow = AnswerOf<'listVariants'>['results'][number];

/** Columns of `call` that an answer needs. The evidence in `info` is read only for a single row. */
export const ROW_COLUMNS = [
  'sample_idx',
  'allele_key',
  ...valuesFrom('call', 'allele', 'transcript'),
  'kept',
  'post_group',
]
  .map((name) => `c.${name}`)
  .join(', ');

/** A row as ROW_COLUMNS selects it, with its sample's name. */
export type CallColumns = Omit<CallTable, 'task_id' | 'chrom_order' | 'impact_order' | 'search'> & { sample: string };

export function rowOf(row: CallColumns, seen: Seen): VariantRow {
  const { sample_idx, kept, post_group, ...columns } = row;
  return {
    id: `${sample_idx}-${row.allele_key}`,
    ...columns,
    pass: kept,
    group: post_group,
    seen: seen.of === 0 ? null : (seen.counts.get(row.allele_key) ?? 0),
    seen_of: seen.of === 0 ? null : seen.of,
  };
}

export interface VariantTask {
  id: string;
  group_id: string;
  panel_value: string;
}

export interface Seen {
  counts: ReadonlyMap<string, number>;
  of: number;
}

/** Returns the number of specimens of the group and panel with each allele, from counters instead of the history. */
export async function readSeen(db: Knex, task: VariantTask, keys: readonly string[]): Promise<Seen> {
  const place = { group_id: task.group_id, panel_value: task.panel_value };
  const [of, rows] = await Promise.all([
    db('specimen_count').where(place).first('n'),
    keys.length === 0
      ? []
      : db('allele_count')
          .where(place)
          .whereRaw('allele_key = ANY (?)', [[...new Set(keys)]])
          .select('allele_key', 'n'),
  ]);
  return { counts: new Map(rows.map(({ allele_key, n }) => [allele_key, n])), of: of?.n ?? 0 };
}
