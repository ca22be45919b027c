/** Reads the depth of each amplicon in each ingested sample. */

import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import type { Knex } from 'knex';
import { NO_DEPTH } from '../background/ingest/reads-part.ts';
import type { AnswerOf } from '../feature.ts';
import { readFrozenJson } from '../storage/frozen-files.ts';
import type { FullTask } from '../tasks/task-rows.ts';

type Amplicon = AnswerOf<'listTaskAmplicons'>['results'][number];

export interface DepthMatrix {
  samples: number;
  amplicons: number;
  matrix: Buffer;
}

/** Sample-major. A sample without ingested depths has NO_DEPTH everywhere. */
export async function readDepths(db: Knex, taskId: string): Promise<DepthMatrix> {
  const [samples, rows] = await Promise.all([
    db('task_sample').where({ task_id: taskId }).count({ n: '*' }).first(),
    db('sample_depth').where({ task_id: taskId }).select('sample_idx', 'amplicons'),
  ]);
  const count = Number(samples?.n ?? 0);
  const bytes = Math.max(0, ...rows.map(({ amplicons }) => amplicons.length));
  const matrix = Buffer.alloc(count * bytes, 0xff);
  for (const { sample_idx, amplicons } of rows) amplicons.copy(matrix, sample_idx * bytes);
  return { samples: count, amplicons: bytes / 4, matrix };
}

export async function readAmplicons(db: Knex, task: FullTask, sample: string | undefined): Promise<Amplicon[]> {
  const panel = await readFrozenJson<PanelFile>(db, task.frozen, 'panel.json');
  const { samples, amplicons, matrix } = await readDepths(db, task.id);
  const depths = new Uint32Array(matrix.buffer.slice(matrix.byteOffset, matrix.byteOffset + matrix.byteLength));
  const chosen = sample
    ? (await db('task_sample').where({ task_id: task.id, name: sample }).first('idx'))?.idx
    : undefined;
  return (panel.amplicons ?? []).map((amplicon, a) => {
    const measured: number[] = [];
    for (let s = 0; a < amplicons && s < samples; s++) {
      const depth = depths[s * amplicons + a]!;
      if (depth !== NO_DEPTH) measured.push(depth);
    }
    const middle = median(measured);
    const own = chosen === undefined || a >= amplicons ? undefined : depths[chosen * amplicons + a];
    const depth = own === undefined || own === NO_DEPTH ? null : own;
    return {
      name: amplicon.name,
      chrom: amplicon.chrom,
      start: amplicon.start,
      end: amplicon.end,
      insert_start: amplicon.insert.start,
      insert_end: amplicon.insert.end,
      pool: amplicon.pool ?? null,
      gene: amplicon.gene ?? null,
      exon: amplicon.exon ?? null,
      samples: measured.length,
      median: middle,
      min: measured.length ? Math.min(...measured) : null,
      max: measured.length ? Math.max(...measured) : null,
      depth,
      ratio: depth !== null && middle ? depth / middle : null,
    };
  });
}
