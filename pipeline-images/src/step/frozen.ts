import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { type ParameterKey, type ParameterValue, parameterValue } from '@seqpanel/crds/parameters.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { FrozenManifest, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { FROZEN_MANIFEST } from '@seqpanel/crds/storage.ts';
import { isPlainName } from '@seqpanel/crds/storage-path.ts';
import { BadInput } from './bad-input.ts';
import { readVisible, sha256 } from './files.ts';
import { checkFrozenPaths } from './frozen-paths.ts';

/** genome.json: the reference as it was when the task was launched. `dir` and `path` are below the storage root. */
export interface FrozenGenome {
  schema_version: 1;
  value: string;
  displayName: string;
  synthetic?: boolean;
  dir: string;
  contigs: { name: string; canonical?: string; aliases?: string[]; length: number; md5?: string }[];
  indexes: { tool?: string; version?: string; path?: string }[];
}

/** annotation.json: installed sources, paths below the storage root. */
export interface FrozenAnnotation {
  schema_version: 1;
  sources: { name: string; kind: string; version: string; path: string; sha256?: string }[];
}

export interface SampleFile {
  name: string;
  /** Below the storage root. */
  path: string;
  read?: 'R1' | 'R2' | 'bam' | 'bai';
  lane?: string;
  size?: number;
  sha256?: string;
}

/** A row of samples.tsv; a field without a value is undefined. */
export interface SampleRow {
  index: number;
  sample: string;
  libraryId: string;
  qcType: string;
  role: string;
  controlMaterial?: string;
  pair?: string;
  cnvNormal: boolean;
  tumorContent?: number;
  well?: string;
  i7?: string;
  i5?: string;
  files: SampleFile[];
}

/** What was frozen for the task, each file checked against frozen.json. */
export interface Frozen {
  preset: Preset;
  panel: PanelFile;
  genome: FrozenGenome;
  annotation: FrozenAnnotation;
  samples: SampleRow[];
  /** Text of control.txt; undefined when the panel has none. */
  control?: string;
  /** SHA-256 by file name. */
  sha256: Readonly<Record<string, string>>;
}

/** Reads and verifies the frozen files; BadInput names the file whose bytes are not those that were launched. */
export async function loadFrozen(taskFolder: string, task: TaskSpec): Promise<Frozen> {
  const bytes = await readVisible(`${taskFolder}/${FROZEN_MANIFEST}`);
  if (task.spec.frozen !== undefined && sha256(bytes) !== task.spec.frozen)
    throw new BadInput(FROZEN_MANIFEST, undefined, 'is not the file this task was launched with', 'frozen_mismatch');
  const manifest = parse<FrozenManifest>(FROZEN_MANIFEST, bytes);
  const texts = new Map<string, Buffer>();
  await Promise.all(
    manifest.files.map(async ({ name, sha256: expected }) => {
      if (!isPlainName(name))
        throw new BadInput(FROZEN_MANIFEST, undefined, `names ${JSON.stringify(name)}, no plain file`);
      const content = await readVisible(`${taskFolder}/${name}`);
      if (sha256(content) !== expected)
        throw new BadInput(name, undefined, 'has changed since the task was launched', 'frozen_mismatch');
      texts.set(name, content);
    }),
  );
  const need = (name: string): Buffer => {
    const content = texts.get(name);
    if (!content) throw new BadInput(FROZEN_MANIFEST, undefined, `does not list ${name}`, 'frozen_mismatch');
    return content;
  };
  const hashes = Object.fromEntries(manifest.files.map((file) => [file.name, file.sha256]));
  if (hashes['panel.json'] !== task.spec.panelType.sha256)
    throw new BadInput('panel.json', undefined, 'is not the panel this task was launched with', 'frozen_mismatch');
  if (hashes['preset.json'] !== task.spec.preset.sha256)
    throw new BadInput('preset.json', undefined, 'is not the preset this task was launched with', 'frozen_mismatch');
  const frozen: Frozen = {
    preset: parse<Preset>('preset.json', need('preset.json')),
    panel: parse<PanelFile>('panel.json', need('panel.json')),
    genome: parse<FrozenGenome>('genome.json', need('genome.json')),
    annotation: texts.has('annotation.json')
      ? parse<FrozenAnnotation>('annotation.json', need('annotation.json'))
      : { schema_version: 1, sources: [] },
    samples: parseSamples(need('samples.tsv').toString()),
    control: texts.get('control.txt')?.toString(),
    sha256: hashes,
  };
  checkFrozenPaths(frozen);
  return frozen;
}

function parse<T>(name: string, bytes: Buffer): T {
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch (error) {
    throw new BadInput(name, undefined, `is not JSON: ${(error as Error).message}`);
  }
}

const SAMPLE_COLUMNS = ['sample', 'library_id', 'files'] as const;

/** Rows of samples.tsv (docs/outputs.md); `.` and empty mean no value. */
export function parseSamples(text: string): SampleRow[] {
  const [head = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = head.replace(/^#/, '').split('\t');
  for (const name of SAMPLE_COLUMNS)
    if (!columns.includes(name)) throw new BadInput('samples.tsv', 1, `has no column ${name}`);
  return lines.map((line, i) => {
    const cells = line.split('\t');
    const get = (name: string): string | undefined => {
      const value = cells[columns.indexOf(name)];
      return value === undefined || value === '' || value === '.' ? undefined : value;
    };
    const sample = get('sample');
    if (!sample) throw new BadInput('samples.tsv', i + 2, 'has no sample name');
    const content = get('tumor_content');
    return {
      index: Number(get('index') ?? i),
      sample,
      libraryId: get('library_id') ?? sample,
      qcType: get('qc_type') ?? 'Sample',
      role: get('role') ?? 'germline',
      controlMaterial: get('control_material'),
      pair: get('pair'),
      cnvNormal: ['1', 'true', 'yes'].includes(get('cnv_normal') ?? ''),
      tumorContent: content === undefined ? undefined : Number(content),
      well: get('well'),
      i7: get('i7'),
      i5: get('i5'),
      files: JSON.parse(get('files') ?? '[]') as SampleFile[],
    };
  });
}

/** Value of an advanced parameter for the task. */
export const parameter = <Key extends ParameterKey>({ panel, preset }: Frozen, key: Key): ParameterValue<Key> =>
  parameterValue(key, panel, preset);
