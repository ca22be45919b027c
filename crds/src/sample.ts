/** A sample of a task, and its two written forms: a row of samples.tsv and an entry of the AnalysisTask's spec. */

import type { TaskPair, TaskSample } from './kinds.ts';
import type { ReadName } from './sample-grouping.ts';

export interface SampleFile {
  name: string;
  read?: ReadName;
  lane?: string;
}

/** A file as samples.tsv has it. */
export interface StoredSampleFile extends SampleFile {
  /** Below the storage root. */
  path: string;
  size?: number;
  sha256?: string;
}

/** A field without a value is undefined. */
export interface Sample<File extends SampleFile = StoredSampleFile> {
  name: string;
  libraryId: string;
  qcType: NonNullable<TaskSample['qcType']>;
  role: NonNullable<TaskSample['role']>;
  controlMaterial?: string;
  /** Names of its pairs, with `,` between. */
  pair?: string;
  cnvNormal: boolean;
  /** Percent. */
  tumorContent?: number;
  well?: string;
  i7?: string;
  i5?: string;
  files: File[];
}

export const SAMPLES_FILE = 'samples.tsv';
const COLUMNS = [
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
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['sample', 'library_id', 'files'];

/** Returns samples.tsv. A tab or a line break inside a value becomes a space. */
export function encodeSamples(samples: readonly Sample[]): string {
  const lines = samples.map((sample, index) => {
    const cells: Record<Column, unknown> = {
      index,
      sample: sample.name,
      library_id: sample.libraryId,
      qc_type: sample.qcType,
      role: sample.role,
      control_material: sample.controlMaterial,
      pair: sample.pair,
      cnv_normal: sample.cnvNormal ? 1 : 0,
      tumor_content: sample.tumorContent,
      well: sample.well,
      i7: sample.i7,
      i5: sample.i5,
      files: JSON.stringify(sample.files.map(fileCell)),
    };
    return COLUMNS.map((column) => cell(cells[column])).join('\t');
  });
  return `${COLUMNS.join('\t')}\n${lines.map((line) => `${line}\n`).join('')}`;
}

const fileCell = ({ name, path, read, lane, size, sha256 }: StoredSampleFile): StoredSampleFile => ({
  name,
  path,
  read,
  lane,
  size,
  sha256,
});

const cell = (value: unknown): string =>
  value === null || value === undefined || value === '' ? '.' : String(value).replace(/[\t\r\n]/g, ' ');

/** samples.tsv does not say what it must; `line` is 1-based. */
export class SamplesError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Reads samples.tsv by the names of its columns; `.` and empty are no value. Throws SamplesError. */
export function decodeSamples(text: string): Sample[] {
  const [head = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = head.replace(/^#/, '').split('\t');
  for (const name of REQUIRED) if (!columns.includes(name)) throw new SamplesError(1, `has no column ${name}`);
  return lines.map((line, i) => {
    const cells = line.split('\t');
    const get = (column: Column): string | undefined => {
      const value = cells[columns.indexOf(column)];
      return value === undefined || value === '' || value === '.' ? undefined : value;
    };
    const name = get('sample');
    if (!name) throw new SamplesError(i + 2, 'has no sample name');
    const content = get('tumor_content');
    return {
      name,
      libraryId: get('library_id') ?? name,
      qcType: (get('qc_type') ?? 'Sample') as Sample['qcType'],
      role: (get('role') ?? 'germline') as Sample['role'],
      controlMaterial: get('control_material'),
      pair: get('pair'),
      cnvNormal: ['1', 'true', 'yes'].includes(get('cnv_normal') ?? ''),
      tumorContent: content === undefined ? undefined : Number(content),
      well: get('well'),
      i7: get('i7'),
      i5: get('i5'),
      files: JSON.parse(get('files') ?? '[]') as StoredSampleFile[],
    };
  });
}

/** The spec has neither the paths of the files nor the control material; pairs stand beside the samples. */
export const toSpecSample = (sample: Sample<SampleFile>): TaskSample => ({
  name: sample.name,
  libraryId: sample.libraryId,
  qcType: sample.qcType,
  role: sample.role,
  files: sample.files.map(specFile),
  ...(sample.cnvNormal && { cnvNormal: true }),
  ...(sample.tumorContent !== undefined && { tumorContent: sample.tumorContent }),
  ...(sample.well && { well: sample.well }),
  ...(sample.i7 && { i7: sample.i7 }),
  ...(sample.i5 && { i5: sample.i5 }),
});

export const fromSpecSample = (sample: TaskSample, pairs: readonly TaskPair[] | undefined): Sample<SampleFile> => ({
  name: sample.name,
  libraryId: sample.libraryId,
  qcType: sample.qcType ?? 'Sample',
  role: sample.role ?? 'germline',
  pair: pairOf(sample.name, pairs ?? []),
  cnvNormal: sample.cnvNormal ?? false,
  tumorContent: sample.tumorContent,
  well: sample.well,
  i7: sample.i7,
  i5: sample.i5,
  files: sample.files.map(specFile),
});

const specFile = ({ name, read, lane }: SampleFile): SampleFile => ({
  name,
  ...(read && { read }),
  ...(lane && { lane }),
});

/** Names of the pairs that a sample is in; undefined when it is in none. */
export const pairOf = (sample: string, pairs: readonly TaskPair[]): string | undefined =>
  pairs
    .filter(({ tumor, normal }) => tumor === sample || normal === sample)
    .map(({ name }) => name)
    .join(',') || undefined;
