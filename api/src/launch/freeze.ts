/** Builds the frozen files of a task and the spec of its resource. Pure: receives bytes and rows. */

import type { AnalysisTaskSpec } from '@seqpanel/crds/kinds.ts';
import { fromLaunchSample } from '@seqpanel/crds/launch-sample.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { pairOf, type Sample, toSpecSample } from '@seqpanel/crds/sample.ts';
import { encodeSamples, SAMPLES_FILE } from '@seqpanel/crds/samples-table.ts';
import { FROZEN_MANIFEST, projectDir } from '@seqpanel/crds/storage.ts';
import { type FrozenFile, type FrozenSampleFile, sha256Of, withManifest } from '../storage/frozen-files.ts';
import { type Combination, sourceOf } from './definition.ts';

export interface StoredFile {
  id: string;
  name: string;
  size: number;
  sha256: string;
}

export interface Frozen {
  files: FrozenFile[];
  spec: AnalysisTaskSpec;
  samples: Sample<FrozenSampleFile>[];
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
    { name: SAMPLES_FILE, content: Buffer.from(encodeSamples(samples)) },
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
    samples: samples.map(toSpecSample),
    ...(input.combination.pairs.length > 0 && { pairs: input.combination.pairs }),
    ...(input.notify.length > 0 && { notify: [...input.notify] }),
  };
  return { files, spec, samples };
}

function frozenSamples({ combination, projectFiles, group, project }: FreezeInput): Sample<FrozenSampleFile>[] {
  return combination.samples.map(fromLaunchSample).map((sample) => ({
    ...sample,
    pair: pairOf(sample.name, combination.pairs),
    files: sample.files.map(({ name, read, lane }) => {
      const { id, size, sha256 } = projectFiles.get(name)!;
      return { id, name, path: `${projectDir(group, project)}/${name}`, read, lane, size, sha256 };
    }),
  }));
}
