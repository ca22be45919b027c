/** A sample of a task, and its form in the AnalysisTask's spec. Its form in samples.tsv is in samples-table.ts. */

import type { TaskPair, TaskSample } from './kinds.ts';
import type { ReadName } from './sample-grouping.ts';

export interface SampleFile {
  name: string;
  read?: ReadName;
  lane?: string;
}

/** A file of a sample in samples.tsv. */
export interface StoredSampleFile extends SampleFile {
  /** Path relative to the storage root. */
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
  /** Names of its pairs, separated by `,`. */
  pair?: string;
  cnvNormal: boolean;
  /** Percent. */
  tumorContent?: number;
  well?: string;
  i7?: string;
  i5?: string;
  files: File[];
}

/** Omits file paths and control material, which the spec does not have. Pairs are a field of their own in the spec. */
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

/** Returns the names of a sample's pairs, or undefined when it has none. */
export const pairOf = (sample: string, pairs: readonly TaskPair[]): string | undefined =>
  pairs
    .filter(({ tumor, normal }) => tumor === sample || normal === sample)
    .map(({ name }) => name)
    .join(',') || undefined;
