/** Lists the tracks that IGV shows for a sample, as paths below the API's base, of files that exist on storage. */

import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { REPORT_DIR, readsDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { readFrozenJson } from '../storage/frozen-files.ts';
import { isFile, placeIn, type StoragePlace } from '../storage/inside-storage.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import type { FullTask } from '../tasks/task-rows.ts';

export async function readIgv(
  db: Knex,
  storageDir: string,
  task: FullTask,
  groupId: string,
  sample: string,
): Promise<AnswerOf<'getTaskIgv'>> {
  if (!(await db('task_sample').where({ task_id: task.id, name: sample }).first('idx'))) throw new NotFound();
  const folder = folderOf(storageDir, folderNameOf(task));
  const file = async (path: string): Promise<string | null> =>
    (await isFile(folder.at(path)))
      ? `/${groupId}/tasks/${task.id}/output/file?path=${encodeURIComponent(path)}`
      : null;
  const bam = await file(`${readsDir(sample)}/reads.bam`);
  const slice = await file(`${REPORT_DIR}/slices/${sample}.bam`);
  if (!bam && !slice) throw new NotFound('bam_not_found');
  const [panel, genome, annotation] = await Promise.all([
    readFrozenJson<PanelFile>(db, task.frozen, 'panel.json'),
    readFrozenJson<{ value: string; dir: string; contigs: { name: string }[] }>(db, task.frozen, 'genome.json'),
    readFrozenJson<FrozenSources>(db, task.frozen, 'annotation.json'),
  ]);
  const first = panel.amplicons?.[0];
  const reference = async (name: string): Promise<string | null> =>
    genome.dir && (await isFile(placeIn(storageDir, genome.dir, name)))
      ? `/${groupId}/tasks/${task.id}/reference/${name}`
      : null;
  const used = new Set(panel.amplicons?.map(({ chrom }) => chrom));
  return {
    sample,
    genome: genome.value ?? task.genome,
    reference: await reference('genome.fa'),
    index: await reference('genome.fa.fai'),
    genes: (await genesOf(storageDir, annotation)) ? `/${groupId}/tasks/${task.id}/reference/genes.gff3` : null,
    bam,
    bai: await file(`${readsDir(sample)}/reads.bam.bai`),
    slice_bam: slice,
    slice_bai: await file(`${REPORT_DIR}/slices/${sample}.bam.bai`),
    coverage: await file(`${readsDir(sample)}/coverage.bw`),
    locus: first ? `${first.chrom}:${first.start}-${first.end}` : null,
    chromosomes: (genome.contigs ?? []).map(({ name }) => name).filter((name) => used.size === 0 || used.has(name)),
  };
}

export interface FrozenSources {
  sources: { name: string; kind: string; version: string; path: string }[];
}

/** Returns the gene models that the task was annotated with, or undefined when they are missing. */
export async function genesOf(
  storageDir: string,
  annotation: Partial<FrozenSources>,
): Promise<StoragePlace | undefined> {
  const source = annotation.sources?.find(({ kind }) => kind === 'genes');
  const file = source && placeIn(storageDir, source.path);
  return file && (await isFile(file)) ? file : undefined;
}
