/** Ingests the annotation and the calls of a task. */

import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { type ParameterKey, type ParameterValue, parameterValue } from '@seqpanel/crds/parameters.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { readFrozenJson, sha256Of } from '../../storage/frozen-files.ts';
import type { StoragePlace } from '../../storage/inside-storage.ts';
import { writeAnnotation } from './annotation-part.ts';
import { type IngestTask, type PartContext, readStepResult } from './part.ts';
import { writeVariants } from './variants-part.ts';

export interface SampleRow {
  idx: number;
  name: string;
  qc_type: string;
  files: { sha256?: string }[];
  failure: unknown;
}

interface VariantsOfTask {
  db: Knex;
  task: IngestTask & { genome: string };
  folder: StoragePlace;
  samples: readonly SampleRow[];
  parts: ReadonlyMap<string, string>;
  final: boolean;
  due(part: string, step: string, sample?: SampleRow): Promise<string | undefined>;
  write(part: string, fingerprint: string, work: (context: PartContext) => Promise<void>): Promise<void>;
}

/** Ingests the annotation once, then the calls of each sample, which need it. */
export async function ingestVariants({
  db,
  task,
  folder,
  samples,
  parts,
  final,
  due,
  write,
}: VariantsOfTask): Promise<void> {
  const open = samples.filter(({ name }) => final || !parts.has(`variants:${name}`));
  if (open.length === 0 && parts.has('annotation')) return;
  // No part has this name, so the result is read until every sample is ingested.
  const filtered = await due('post-filter', 'post-filter');
  if (!filtered) return;
  const frozen = await readInputs(db, task);
  const fingerprint = (await readStepResult(folder, stepDir('annotation')))?.fingerprint ?? filtered;
  if (parts.get('annotation') !== fingerprint)
    await write('annotation', fingerprint, (context) =>
      writeAnnotation(context, frozen.genome, frozen.transcripts).then(() => {}),
    );
  const bundle = (await db('task').where({ id: task.id }).first('bundle'))?.bundle ?? null;
  if (bundle === null) return;
  for (const sample of open) {
    const part = `variants:${sample.name}`;
    const called = await due(part, 'call', sample);
    // Calls and post-filter flags form one part, because either file may be replaced.
    const key = called && sha256Of(`${called}/${filtered}/${fingerprint}`).slice(0, 32);
    if (!key || parts.get(part) === key) continue;
    const input = {
      ...frozen,
      bundle,
      idx: sample.idx,
      name: sample.name,
      qcType: sample.qc_type,
      inputs: sample.files.flatMap(({ sha256 }) => (sha256 ? [sha256] : [])),
    };
    await write(part, key, (context) => writeVariants(context, input));
  }
}

/**
 * Reads from the frozen files what ingest needs. A task made with kubectl has none in the database and gets defaults.
 */
async function readInputs(db: Knex, task: IngestTask & { genome: string }) {
  const panel = await readFrozenJson<PanelFile>(db, task.frozen, 'panel.json');
  const preset = await readFrozenJson<Preset>(db, task.frozen, 'preset.json');
  const genome = await readFrozenJson<{ value: string; contigs: { name: string }[] }>(db, task.frozen, 'genome.json');
  const { parameters: shipped = [] } = panel;
  const { parameters: chosen = { useDefault: true, values: {} } } = preset;
  const parameter = <Key extends ParameterKey>(key: Key): ParameterValue<Key> =>
    parameterValue(key, { parameters: shipped }, { parameters: chosen });
  return {
    genome: genome.value ?? task.genome,
    transcripts: panel.transcripts ?? {},
    contigs: new Map((genome.contigs ?? []).map(({ name }, i) => [name, i])),
    reportFloor: parameter('report_floor'),
    minDepth: parameter('min_depth'),
  };
}
