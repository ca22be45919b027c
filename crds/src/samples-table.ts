/** The format of samples.tsv: the samples of a task, frozen by the api and read by the steps. */

import type { Sample, StoredSampleFile } from './sample.ts';

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

/** Returns samples.tsv. Replaces tabs and line breaks in values by spaces. */
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

/** samples.tsv is invalid. `line` is 1-based. */
export class SamplesError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Parses samples.tsv by column names. `.` and an empty cell mean no value. Throws SamplesError. */
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
