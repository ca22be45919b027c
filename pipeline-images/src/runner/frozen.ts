import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { type ParameterKey, type ParameterValue, parameterValue } from '@seqpanel/crds/parameters.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { Sample, StoredSampleFile } from '@seqpanel/crds/sample.ts';
import { decodeSamples, SAMPLES_FILE, SamplesError } from '@seqpanel/crds/samples-table.ts';
import type { FrozenManifest, TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { FROZEN_MANIFEST } from '@seqpanel/crds/storage.ts';
import { isPlainName } from '@seqpanel/crds/storage-path.ts';
import { BadInput } from './bad-input.ts';
import { readVisible, sha256 } from './files.ts';
import { checkFrozenPaths } from './frozen-paths.ts';

/** genome.json: the reference at the time of launch. `dir` and `path` are relative to the storage root. */
export interface FrozenGenome {
  schema_version: 1;
  value: string;
  displayName: string;
  synthetic?: boolean;
  dir: string;
  contigs: { name: string; canonical?: string; aliases?: string[]; length: number; md5?: string }[];
  indexes: { tool?: string; version?: string; path?: string }[];
}

/** annotation.json: the installed sources. Paths are relative to the storage root. */
export interface FrozenAnnotation {
  schema_version: 1;
  sources: { name: string; kind: string; version: string; path: string; sha256?: string }[];
}

export type SampleFile = StoredSampleFile;

/** A sample with its place in the run. */
export interface SampleRow extends Omit<Sample, 'name'> {
  index: number;
  sample: string;
}

/** The files frozen at launch, each verified against frozen.json. */
export interface Frozen {
  preset: Preset;
  panel: PanelFile;
  genome: FrozenGenome;
  annotation: FrozenAnnotation;
  samples: SampleRow[];
  /** Text of control.txt. Undefined when the panel has no control file. */
  control?: string;
  /** SHA-256 by file name. */
  sha256: Readonly<Record<string, string>>;
}

/** Reads and verifies the frozen files. Throws BadInput that names a file changed since launch. */
export async function loadFrozen(taskFolder: string, task: TaskSpec): Promise<Frozen> {
  const bytes = await readVisible(`${taskFolder}/${FROZEN_MANIFEST}`);
  if (task.spec.frozen !== undefined && sha256(bytes) !== task.spec.frozen)
    throw new BadInput(
      FROZEN_MANIFEST,
      undefined,
      'differs from the file this task was launched with',
      'frozen_mismatch',
    );
  const manifest = parse<FrozenManifest>(FROZEN_MANIFEST, bytes);
  const texts = new Map<string, Buffer>();
  await Promise.all(
    manifest.files.map(async ({ name, sha256: expected }) => {
      if (!isPlainName(name))
        throw new BadInput(FROZEN_MANIFEST, undefined, `${JSON.stringify(name)} is not a plain file name`);
      const content = await readVisible(`${taskFolder}/${name}`);
      if (sha256(content) !== expected)
        throw new BadInput(
          name,
          undefined,
          'has changed since the task was launched. Launch it again.',
          'frozen_mismatch',
        );
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
    throw new BadInput(
      'panel.json',
      undefined,
      'differs from the panel this task was launched with',
      'frozen_mismatch',
    );
  if (hashes['preset.json'] !== task.spec.preset.sha256)
    throw new BadInput(
      'preset.json',
      undefined,
      'differs from the preset this task was launched with',
      'frozen_mismatch',
    );
  const frozen: Frozen = {
    preset: parse<Preset>('preset.json', need('preset.json')),
    panel: parse<PanelFile>('panel.json', need('panel.json')),
    genome: parse<FrozenGenome>('genome.json', need('genome.json')),
    annotation: texts.has('annotation.json')
      ? parse<FrozenAnnotation>('annotation.json', need('annotation.json'))
      : { schema_version: 1, sources: [] },
    samples: parseSamples(need(SAMPLES_FILE).toString()),
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

/** Rows of samples.tsv (docs/outputs.md). */
export function parseSamples(text: string): SampleRow[] {
  try {
    return decodeSamples(text).map(({ name, ...sample }, index) => ({ index, sample: name, ...sample }));
  } catch (error) {
    throw error instanceof SamplesError ? new BadInput(SAMPLES_FILE, error.line, error.message) : error;
  }
}

/** Value of an advanced parameter for the task. */
export const parameter = <Key extends ParameterKey>({ panel, preset }: Frozen, key: Key): ParameterValue<Key> =>
  parameterValue(key, panel, preset);
