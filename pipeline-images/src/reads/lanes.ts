import { BadInput } from '../runner/bad-input.ts';
import type { SampleFile } from '../runner/frozen.ts';

/** The FASTQ files of one lane. Single-end lanes have no r2. */
export interface Lane {
  lane: string;
  r1: SampleFile;
  r2?: SampleFile;
}

/**
 * Groups a sample's FASTQ files by lane, in the order of the lane names. Throws BadInput when a lane lacks R1, or lacks R2
 * while other lanes have it.
 */
export function lanesOf(files: readonly SampleFile[]): Lane[] {
  const lanes = new Map<string, { r1?: SampleFile; r2?: SampleFile }>();
  for (const file of files) {
    if (file.read !== 'R1' && file.read !== 'R2' && file.read !== undefined) continue;
    const name = file.lane ?? '';
    const entry = lanes.get(name) ?? {};
    const slot = file.read === 'R2' ? 'r2' : 'r1';
    if (entry[slot])
      throw new BadInput(
        file.name,
        undefined,
        `second ${file.read ?? 'R1'} file of lane ${name || '1'}. Remove one.`,
        'lane_twice',
      );
    entry[slot] = file;
    lanes.set(name, entry);
  }
  const sorted = [...lanes].sort(([a], [b]) => (a < b ? -1 : 1));
  const paired = sorted.some(([, { r2 }]) => r2 !== undefined);
  return sorted.map(([lane, { r1, r2 }]) => {
    if (!r1)
      throw new BadInput(
        r2!.name,
        undefined,
        'no R1 file for this lane. Add it and launch again.',
        'lane_without_mate',
      );
    if (paired && !r2)
      throw new BadInput(r1.name, undefined, 'no R2 file for this lane. Add it and launch again.', 'lane_without_mate');
    return { lane, r1, r2 };
  });
}
