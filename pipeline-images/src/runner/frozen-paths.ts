import { isPlainName, isPlainPath } from '@seqpanel/crds/storage-path.ts';
import { BadInput } from './bad-input.ts';

/** The parts of the frozen files that name paths. */
interface FrozenPaths {
  genome: { dir: string; indexes: { path?: string }[] };
  annotation: { sources: { path: string }[] };
  samples: { sample: string; files: { path: string }[] }[];
}

/** Throws BadInput, naming the file, for a path that leads out of the storage root. */
export function checkBelowStorage(file: string, path: string): void {
  if (!isPlainPath(path))
    throw new BadInput(file, undefined, `${JSON.stringify(path)} must stay below the storage root`);
}

/** Checks every path and folder name of the frozen files. A matching hash proves who wrote them, not that they are safe. */
export function checkFrozenPaths({ genome, annotation, samples }: FrozenPaths): void {
  checkBelowStorage('genome.json', genome.dir);
  for (const { path } of genome.indexes) if (path !== undefined) checkBelowStorage('genome.json', path);
  for (const { path } of annotation.sources) checkBelowStorage('annotation.json', path);
  for (const { sample, files } of samples) {
    if (!isPlainName(sample))
      throw new BadInput(
        'samples.tsv',
        undefined,
        `the sample name ${JSON.stringify(sample)} cannot be used as a folder name`,
      );
    for (const { path } of files) checkBelowStorage('samples.tsv', path);
  }
}
