/** Lists the task's files for manifest.tsv and output.zip. Pure. */

import { meaningOf } from '@seqpanel/crds/outputs/catalogue.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import type { ZipEntry } from './archive.ts';

export interface ListedFile {
  /** Relative to the task's folder. */
  path: string;
  type: string;
  sample: string;
  size: number;
  sha256: string;
  meaning: string;
}

/** Returns the sample of a file of a task-scoped step, by the file's path. */
function sampleIn(path: string, samples: ReadonlySet<string>): string {
  const named = /(?:samples|slices|pileups)\/([^/]+?)(?:\.bam(?:\.bai)?)?(?:\/|$)/.exec(path)?.[1];
  if (named !== undefined && samples.has(named)) return named;
  const page = /^([^/]+)\.(?:json|html)$/.exec(path)?.[1];
  return page !== undefined && samples.has(page) ? page : NO_VALUE;
}

/** Returns every output of the steps' results, by path. */
export function listFiles(results: readonly StepResult[], samples: ReadonlySet<string>): ListedFile[] {
  return results
    .flatMap(({ step, sample, outputs }) =>
      outputs.map(({ path, type, size, sha256 }) => ({
        path: `${stepDir(step, sample)}/${path}`,
        type,
        sample: sample ?? sampleIn(path, samples),
        size,
        sha256,
        meaning: meaningOf(step, path),
      })),
    )
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Excluded from the zip: complete alignments and files derived from them stay on the server. */
const LEFT_OUT =
  /(^|\/)(reads\.bam(\.bai)?|pileup\.tsv\.gz(\.tbi)?|candidates\.tsv\.gz(\.tbi)?|depth\.u32|coverage\.bw|pileups\/.*)$/;

/** Returns a file's path in the zip: in its sample's folder, otherwise in `common`. */
export function zipEntries(files: readonly Pick<ListedFile, 'path' | 'sample'>[], taskFolder: string): ZipEntry[] {
  return files
    .filter(({ path }) => !LEFT_OUT.test(path))
    .map(({ path, sample }) => {
      const folder = sample === NO_VALUE ? 'common' : sample;
      const name = path.replace(`samples/${sample}/`, '').replace(`report/slices/${sample}`, 'slice');
      return { path: `${folder}/${name}`, file: `${taskFolder}/${path}` };
    });
}
