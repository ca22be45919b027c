/** Parses VCF text (https://samtools.github.io/hts-specs/VCFv4.3.pdf) with one ALT per record and at most one sample. */

import { NO_VALUE } from './outputs/table.ts';

/** A record. `format` is empty without a sample. Positions are 1-based. */
export interface VcfRecord {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  filter: string;
  info: ReadonlyMap<string, string>;
  format: ReadonlyMap<string, string>;
}

/** Parses `a=1;b` to a map. The value of a flag is ''. */
export function parseInfo(text: string): Map<string, string> {
  const info = new Map<string, string>();
  if (text === NO_VALUE || text === '') return info;
  for (const pair of text.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) info.set(pair, '');
    else info.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return info;
}

/** Parses one line. Returns undefined for a header line or an empty one. */
export function parseVcfLine(line: string): VcfRecord | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const [chrom = '', pos = '', , ref = '', alt = '', , filter = NO_VALUE, info = NO_VALUE, keys, sample] =
    line.split('\t');
  const values = sample?.split(':') ?? [];
  return {
    chrom,
    pos: Number(pos),
    ref,
    alt,
    filter,
    info: parseInfo(info),
    format: new Map((keys?.split(':') ?? []).map((key, i) => [key, values[i] ?? NO_VALUE])),
  };
}

/** Parses the records of a VCF, in its order. */
export const parseVcf = (text: string): VcfRecord[] => text.split('\n').flatMap((line) => parseVcfLine(line) ?? []);
