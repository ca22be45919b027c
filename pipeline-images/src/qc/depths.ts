/** Depths per base: those of a sample, written by `reads`, and the band over a run. */

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { type DepthBlock, depthOrder } from '@seqpanel/crds/outputs/reads.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';

/** Bases processed at once for the band: 384 samples then take 48 MiB. */
const BAND_BASES = 32_768;

/** Reads depth.u32 of a sample. */
export async function readDepths(path: string): Promise<Uint32Array> {
  const bytes = await readFile(path);
  const out = new Uint32Array(bytes.length / 4);
  for (let i = 0; i < out.length; i++) out[i] = bytes.readUInt32LE(i * 4);
  return out;
}

/** Finds the index of a position in depth.u32. Undefined for a position outside all inserts. */
export class DepthIndex {
  readonly length: number;
  readonly #byContig: ReadonlyMap<string, DepthBlock[]>;

  constructor(panel: Pick<PanelFile, 'amplicons'>) {
    const { blocks, length } = depthOrder(panel);
    this.length = length;
    this.#byContig = Map.groupBy(
      blocks.toSorted((a, b) => a.start - b.start),
      (block) => block.chrom,
    );
  }

  at(chrom: string, pos: number): number | undefined {
    for (const block of this.#byContig.get(chrom) ?? []) {
      if (block.start > pos) return undefined;
      if (block.end >= pos) return block.offset + pos - block.start;
    }
    return undefined;
  }
}

function percentile(sorted: Uint32Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Returns depth_band.u32 for the given depth files: median, 10th and 90th percentile of each base. */
export async function depthBand(files: readonly string[], length: number): Promise<Buffer> {
  const out = Buffer.alloc(length * 3 * 4);
  if (files.length === 0) return out;
  const handles: FileHandle[] = [];
  try {
    for (const file of files) handles.push(await open(file, 'r'));
    for (let from = 0; from < length; from += BAND_BASES) {
      const n = Math.min(BAND_BASES, length - from);
      const slices = await Promise.all(
        handles.map(async (handle) => {
          const bytes = Buffer.alloc(n * 4);
          await handle.read(bytes, 0, bytes.length, from * 4);
          return bytes;
        }),
      );
      const row = new Uint32Array(handles.length);
      for (let i = 0; i < n; i++) {
        slices.forEach((bytes, s) => {
          row[s] = bytes.readUInt32LE(i * 4);
        });
        row.sort();
        const at = (from + i) * 12;
        const middle =
          row.length % 2 === 1 ? row[row.length >> 1]! : (row[row.length / 2 - 1]! + row[row.length / 2]!) / 2;
        out.writeUInt32LE(Math.round(middle), at);
        out.writeUInt32LE(percentile(row, 0.1), at + 4);
        out.writeUInt32LE(percentile(row, 0.9), at + 8);
      }
    }
  } finally {
    await Promise.all(handles.map((handle) => handle.close()));
  }
  return out;
}
