/** Converts the samples of a task to rows of task_sample. */

import type { Sample, SampleFile } from '@seqpanel/crds/sample.ts';
import type { Knex } from 'knex';
import type { TaskSampleTable } from '../db/tables/tasks.ts';

export interface SampleRow<File = SampleFile>
  extends Pick<TaskSampleTable, Exclude<(typeof SAMPLE_COLUMNS)[number], 'files'>> {
  files: (Omit<File, 'lane'> & { lane?: string | null })[];
}

export const SAMPLE_COLUMNS = [
  'name',
  'library_id',
  'qc_type',
  'role',
  'control_material',
  'cnv_normal',
  'tumor_content',
  'well',
  'i7',
  'i5',
  'pair',
  'files',
] as const satisfies readonly (keyof TaskSampleTable)[];

export const toSampleRow = <File extends SampleFile>(sample: Sample<File>): SampleRow<File> => ({
  name: sample.name,
  library_id: sample.libraryId,
  qc_type: sample.qcType,
  role: sample.role,
  control_material: sample.controlMaterial ?? null,
  cnv_normal: sample.cnvNormal,
  tumor_content: sample.tumorContent ?? null,
  well: sample.well ?? null,
  i7: sample.i7 ?? null,
  i5: sample.i5 ?? null,
  pair: sample.pair ?? null,
  files: sample.files.map((file) => ({ ...file, lane: file.lane ?? null })),
});

export const fromSampleRow = <File extends SampleFile>(row: SampleRow<File>): Sample<File> => ({
  name: row.name,
  libraryId: row.library_id,
  qcType: row.qc_type,
  role: row.role,
  controlMaterial: row.control_material ?? undefined,
  cnvNormal: row.cnv_normal,
  tumorContent: row.tumor_content ?? undefined,
  well: row.well ?? undefined,
  i7: row.i7 ?? undefined,
  i5: row.i5 ?? undefined,
  pair: row.pair ?? undefined,
  files: row.files.map((file) => ({ ...file, lane: file.lane ?? undefined }) as unknown as File),
});

export async function insertSamples(
  trx: Knex.Transaction,
  taskId: string,
  samples: readonly Sample<SampleFile>[],
): Promise<void> {
  const rows = samples.map(toSampleRow).map((row, idx) => ({
    task_id: taskId,
    idx,
    ...row,
    files: JSON.stringify(row.files),
  }));
  await trx.batchInsert('task_sample', rows, 200);
}
