/** A sample of a task, and its form in the AnalysisTask's spec. samples-table.ts has the other one. */

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
