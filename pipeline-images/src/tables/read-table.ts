/** Reads tables and VCF files completely: a sample has some thousands of short lines. */

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { parseVcf, type VcfRecord } from '@seqpanel/crds/vcf.ts';

/** Returns the text of a file, decompressed when it is gzip or bgzip. */
async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
}

export const readVcf = async (path: string): Promise<VcfRecord[]> => parseVcf(await readText(path));

/** Reads the rows of a table by column name. The header may start with `#`. */
export async function readTable(path: string): Promise<Record<string, string>[]> {
  const [head = '', ...lines] = (await readText(path)).split('\n');
  const columns = head.replace(/^#/, '').split('\t');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '.']));
    });
}

/** Returns a cell as a number, or undefined when it has none. */
export function numberOf(cell: string | undefined): number | undefined {
  if (cell === undefined || cell === '' || cell === '.') return undefined;
  const value = Number(cell);
  return Number.isNaN(value) ? undefined : value;
}
