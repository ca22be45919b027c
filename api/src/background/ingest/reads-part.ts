/** Part 1, once per sample after `reads`: metrics and the depth row. */

import { readsDir } from '@seqpanel/crds/storage.ts';
import { readText, type StoragePlace } from '../../storage/inside-storage.ts';
import { copyRows } from './copy-rows.ts';
import type { PartContext } from './part.ts';
import { rowsOf } from './read-table.ts';

type Metrics = Record<string, { value: number | null; numerator?: number; denominator?: number } | null>;

/** Marks an unmeasured depth in the packed depths. */
export const NO_DEPTH = 0xffffffff;

export async function writeReads({ trx, task, folder }: PartContext, idx: number, sample: string): Promise<void> {
  const place = folder.at(readsDir(sample));
  const key = { task_id: task.id, sample_idx: idx };
  await trx('sample_metric').where(key).delete();
  await trx('sample_depth').where(key).delete();
  const metrics = JSON.parse(await readText(place.at('metrics.json'))) as Metrics;
  const rows = Object.entries(metrics)
    .filter(([, metric]) => typeof metric === 'object' && metric !== null && 'value' in metric)
    .map(([name, metric]) => [task.id, idx, name, metric!.value, metric!.numerator, metric!.denominator] as const);
  await copyRows(trx, 'sample_metric', ['task_id', 'sample_idx', 'metric', 'value', 'numerator', 'denominator'], rows);
  await trx('sample_depth').insert({ ...key, amplicons: await packDepths(place.at('amplicons.tsv')) });
  await trx('task_sample').where({ task_id: task.id, idx }).update({ metrics_ready: true });
}

/** Packs the mean insert depths as little-endian u32, in the order of the file, which is the order of the panel. */
async function packDepths(file: StoragePlace): Promise<Buffer> {
  const means: number[] = [];
  for await (const row of rowsOf(file)) means.push(row.number('mean') ?? -1);
  const packed = Buffer.alloc(means.length * 4);
  for (const [i, mean] of means.entries())
    packed.writeUInt32LE(mean < 0 ? NO_DEPTH : Math.min(Math.round(mean), NO_DEPTH - 1), i * 4);
  return packed;
}
