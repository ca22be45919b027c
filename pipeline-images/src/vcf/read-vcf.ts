/** Reads the calls of a VCF, whole: a sample's calls are some thousands of short lines. */

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

/** A record with one ALT and, where there is one, the first sample. Positions are 1-based. */
export interface VcfRecord {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  filter: string;
  info: ReadonlyMap<string, string>;
  format: ReadonlyMap<string, string>;
}

/** The text of a file, unpacked when it is gzip or bgzip. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
}

/** `a=1;b` as a map; a flag's value is ''. */
export function parseInfo(text: string): Map<string, string> {
  const out = new Map<string, string>();
  if (text === '.') return out;
  for (const pair of text.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) out.set(pair, '');
    else out.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return out;
}

/** Records of a VCF's text, in its order. */
export function parseVcf(text: string): VcfRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [chrom, pos, , ref, alt, , filter, info, keys, values] = line.split('\t');
      const cells = values?.split(':') ?? [];
      return {
        chrom: chrom!,
        pos: Number(pos),
        ref: ref!,
        alt: alt!,
        filter: filter!,
        info: parseInfo(info ?? '.'),
        format: new Map((keys?.split(':') ?? []).map((key, i) => [key, cells[i] ?? '.'])),
      };
    });
}

export const readVcf = async (path: string): Promise<VcfRecord[]> => parseVcf(await readText(path));

/** A table's rows by column name; the header may start with `#`. */
export function parseTable(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.split('\n');
  const columns = head.replace(/^#/, '').split('\t');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '.']));
    });
}

export const readTable = async (path: string): Promise<Record<string, string>[]> => parseTable(await readText(path));

/** A cell as a number; undefined where it holds none. */
export function numberOf(cell: string | undefined): number | undefined {
  if (cell === undefined || cell === '' || cell === '.') return undefined;
  const value = Number(cell);
  return Number.isNaN(value) ? undefined : value;
}
