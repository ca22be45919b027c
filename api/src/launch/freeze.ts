/** Builds the frozen files of a task and the spec of its resource. Pure: receives bytes and rows. */

import type { AnalysisTaskSpec } from '@seqpanel/crds/kinds.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { FROZEN_MANIFEST, projectDir } from '@seqpanel/crds/storage.ts';
import { type FrozenFile, sha256Of, withManifest } from '../storage/frozen-files.ts';
import { type Combination, fileRole, sourceOf } from './definition.ts';

export interface StoredFile {
  id: string;
  name: string;
  size: number;
  sha256: string;
}

export interface Frozen {
  files: FrozenFile[];
  spec: AnalysisTaskSpec;
  /** Samples as rows of task_sample. */
  samples: FrozenSample[];
}

export interface FrozenSampleFile {
  id: string;
  name: string;
  path: string;
  read: string;
  lane: string | null;
  size: number;
  sha256: string;
}

export interface FrozenSample {
  name: string;
  library_id: string;
  qc_type: string;
  role: string;
  control_material: string | null;
  cnv_normal: boolean;
  tumor_content: number | null;
  well: string | null;
  i7: string | null;
  i5: string | null;
  pair: string | null;
  files: FrozenSampleFile[];
}

export interface FreezeInput {
  name: string;
  group: string;
  project: string;
  requestedBy: string;
  combination: Combination;
  projectFiles: ReadonlyMap<string, StoredFile>;
  /** Resource names. */
  panelType: string;
  genome: string;
  pipeline: { name: string; version: string };
  preset: { id: string | null; name: string; version: number | null; content: Preset };
  /** Bytes as stored. */
  panel: Buffer;
  control: Buffer | undefined;
  genomeFile: Buffer;
  annotation: Buffer;
  notify: readonly string[];
  queue: string | undefined;
}

const SAMPLE_COLUMNS = [
  'index',
  'sample',
  'library_id',
  'qc_type',
  'role',
  'control_material',
  'pair',
  'cnv_normal',
  'tumor_content',
  'well',
  'i7',
  'i5',
  'files',
] as const;
const NORMAL_COLUMNS = ['origin', 'sample', 'path', 'sha256'];

export function freeze(input: FreezeInput): Frozen {
  const samples = frozenSamples(input);
  const preset = Buffer.from(`${JSON.stringify(input.preset.content, null, 1)}\n`);
  const files = withManifest([
    { name: 'preset.json', content: preset },
    { name: 'panel.json', content: input.panel },
    { name: 'genome.json', content: input.genomeFile },
    { name: 'annotation.json', content: input.annotation },
    ...(input.control ? [{ name: 'control.txt', content: input.control }] : []),
    { name: 'samples.tsv', content: samplesTable(samples) },
    { name: 'external_normals.tsv', content: Buffer.from(`${NORMAL_COLUMNS.join('\t')}\n`) },
  ]);
  const hash = (name: string): string => sha256Of(files.find((file) => file.name === name)!.content);
  const spec: AnalysisTaskSpec = {
    name: input.name,
    group: input.group,
    requestedBy: input.requestedBy,
    project: input.project,
    panelType: { name: input.panelType, sha256: hash('panel.json') },
    pipeline: input.pipeline,
    genome: input.genome,
    preset: {
      ...(input.preset.id && { id: input.preset.id }),
      name: input.preset.name,
      ...(input.preset.version && { version: input.preset.version }),
      sha256: hash('preset.json'),
    },
    frozen: hash(FROZEN_MANIFEST),
    ...(input.queue && { queue: input.queue }),
    source: sourceOf(input.combination.samples),
    samples: samples.map(specSample),
    ...(input.combination.pairs.length > 0 && { pairs: input.combination.pairs }),
    ...(input.notify.length > 0 && { notify: [...input.notify] }),
  };
  return { files, spec, samples };
}

function frozenSamples({ combination, projectFiles, group, project }: FreezeInput): FrozenSample[] {
  return combination.samples.map((sample) => ({
    name: sample.name,
    library_id: sample.library_id,
    qc_type: sample.qc_type ?? 'Sample',
    role: sample.role ?? 'germline',
    control_material: sample.control_material ?? null,
    cnv_normal: sample.cnv_normal ?? false,
    tumor_content: contentOf(sample.tumor_content),
    well: sample.well || null,
    i7: sample.i7 || null,
    i5: sample.i5 || null,
    pair:
      combination.pairs
        .filter(({ tumor, normal }) => tumor === sample.name || normal === sample.name)
        .map(({ name }) => name)
        .join(',') || null,
    files: sample.files.map((file) => {
      const stored = projectFiles.get(file.name)!;
      const { read, lane } = fileRole(file);
      return {
        id: stored.id,
        name: stored.name,
        path: `${projectDir(group, project)}/${stored.name}`,
        read,
        lane: lane ?? null,
        size: stored.size,
        sha256: stored.sha256,
      };
    }),
  }));
}

const contentOf = (value: unknown): number | null =>
  value === null || value === undefined || value === '' ? null : Number(value);

function samplesTable(samples: readonly FrozenSample[]): Buffer {
  const lines = samples.map((sample, index) => {
    const files = sample.files.map(({ id: _, ...file }) => ({ ...file, lane: file.lane ?? undefined }));
    const cells: Record<(typeof SAMPLE_COLUMNS)[number], unknown> = {
      index,
      sample: sample.name,
      library_id: sample.library_id,
      qc_type: sample.qc_type,
      role: sample.role,
      control_material: sample.control_material,
      pair: sample.pair,
      cnv_normal: sample.cnv_normal ? 1 : 0,
      tumor_content: sample.tumor_content,
      well: sample.well,
      i7: sample.i7,
      i5: sample.i5,
      files: JSON.stringify(files),
    };
    return SAMPLE_COLUMNS.map((column) => cell(cells[column])).join('\t');
  });
  return Buffer.from(`${SAMPLE_COLUMNS.join('\t')}\n${lines.map((line) => `${line}\n`).join('')}`);
}

const cell = (value: unknown): string =>
  value === null || value === undefined || value === '' ? '.' : String(value).replace(/[\t\r\n]/g, ' ');

function specSample(sample: FrozenSample): AnalysisTaskSpec['samples'][number] {
  return {
    name: sample.name,
    libraryId: sample.library_id,
    qcType: sample.qc_type as 'Sample',
    role: sample.role as 'germline',
    files: sample.files.map(({ name, read, lane }) => ({ name, read: read as 'R1', ...(lane && { lane }) })),
    ...(sample.cnv_normal && { cnvNormal: true }),
    ...(sample.tumor_content !== null && { tumorContent: sample.tumor_content }),
    ...(sample.well && { well: sample.well }),
    ...(sample.i7 && { i7: sample.i7 }),
    ...(sample.i5 && { i5: sample.i5 }),
  };
}
