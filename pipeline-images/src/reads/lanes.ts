import { BadInput } from '../step/bad-input.ts';
import type { SampleFile } from '../step/frozen.ts';

/** One lane's FASTQ files; single-end lanes have no r2. */
export interface Lane {
  lane: string;
  r1: SampleFile;
  r2?: SampleFile;
}

/**
 * A sample's FASTQ files by lane, in the order of the lane names. BadInput when a lane lacks its mate file while others
 * have one, or has only R2.
 */
export function lanesOf(files: readonly SampleFile[]): Lane[] {
  const lanes = new Map<string, { r1?: SampleFile; r2?: SampleFile }>();
  for (const file of files) {
    if (file.read !== 'R1' && file.read !== 'R2' && file.read !== undefined) continue;
    const name = file.lane ?? '';
    const entry = lanes.get(name) ?? {};
    const slot = file.read === 'R2' ? 'r2' : 'r1';
    if (entry[slot])
      throw new BadInput(file.name, undefined, `is a second ${file.read ?? 'R1'} of lane ${name || '1'}`, 'lane_twice');
    entry[slot] = file;
    lanes.set(name, entry);
  }
  const sorted = [...lanes].sort(([a], [b]) => (a < b ? -1 : 1));
  const paired = sorted.some(([, { r2 }]) => r2 !== undefined);
  return sorted.map(([lane, { r1, r2 }]) => {
    if (!r1) throw new BadInput(r2!.name, undefined, 'has no R1 file beside it', 'lane_without_mate');
    if (paired && !r2) throw new BadInput(r1.name, undefined, 'has no R2 file beside it', 'lane_without_mate');
    return { lane, r1, r2 };
  });
}
