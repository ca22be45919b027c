import { isPlainName, isPlainPath } from '@seqpanel/crds/storage-path.ts';
import { BadInput } from './bad-input.ts';
import type { Frozen } from './frozen.ts';

/** Throws BadInput for a path that could lead out of the storage root, naming the file that holds it. */
export function checkBelowStorage(file: string, path: string): void {
  if (!isPlainPath(path))
    throw new BadInput(file, undefined, `${JSON.stringify(path)} must stay below the storage root`);
}

/** The same for every path and folder name in a task's frozen files. Their hashes say who wrote them, not what. */
export function checkFrozenPaths({
  genome,
  annotation,
  samples,
}: Pick<Frozen, 'genome' | 'annotation' | 'samples'>): void {
  checkBelowStorage('genome.json', genome.dir);
  for (const { path } of genome.indexes) if (path !== undefined) checkBelowStorage('genome.json', path);
  for (const { path } of annotation.sources) checkBelowStorage('annotation.json', path);
  for (const { sample, files } of samples) {
    if (!isPlainName(sample))
      throw new BadInput('samples.tsv', undefined, `${JSON.stringify(sample)} is not a name that can be a folder`);
    for (const { path } of files) checkBelowStorage('samples.tsv', path);
  }
}
