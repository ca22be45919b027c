import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CANDIDATES } from '@seqpanel/crds/outputs/reads.ts';
import { columnNames } from '@seqpanel/crds/outputs/table.ts';

const unzip = promisify(gunzip);

/** A row of candidates.tsv.gz. */
export interface CandidateRow {
  key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  type: string;
  length: number;
  hapId: string | undefined;
  atoms: string;
  amplicon: string;
  refF: number;
  refR: number;
  altF: number;
  altR: number;
  otherF: number;
  otherR: number;
  refBq: number;
  altBq: number;
  refMq: number;
  altMq: number;
  readPos: number;
  endDistance: number;
  primerDistance: number | undefined;
  homopolymer: number;
  paralog: string | undefined;
  hotspot: string | undefined;
}

/** Reads candidates.tsv.gz by column name. A numeric cell `.` becomes 0. */
export async function readCandidates(path: string): Promise<CandidateRow[]> {
  const text = (await unzip(await readFile(path))).toString();
  const [head = '', ...lines] = text.split('\n');
  const names = head.replace(/^#/, '').split('\t');
  const at = Object.fromEntries(columnNames(CANDIDATES).map((name) => [name, names.indexOf(name)])) as Record<
    string,
    number
  >;
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const cells = line.split('\t');
      const word = (name: string): string => cells[at[name]!] ?? '.';
      const optional = (name: string): string | undefined => (word(name) === '.' ? undefined : word(name));
      const number = (name: string): number => Number(optional(name) ?? 0);
      return {
        key: word('allele_key'),
        chrom: word('chrom'),
        pos: number('pos'),
        ref: word('ref'),
        alt: word('alt'),
        type: word('type'),
        length: number('length'),
        hapId: optional('hap_id'),
        atoms: word('atoms'),
        amplicon: word('amplicon'),
        refF: number('ref_f'),
        refR: number('ref_r'),
        altF: number('alt_f'),
        altR: number('alt_r'),
        otherF: number('other_f'),
        otherR: number('other_r'),
        refBq: number('ref_bq'),
        altBq: number('alt_bq'),
        refMq: number('ref_mq'),
        altMq: number('alt_mq'),
        readPos: number('read_pos'),
        endDistance: number('end_distance'),
        primerDistance: optional('primer_distance') === undefined ? undefined : number('primer_distance'),
        homopolymer: number('homopolymer'),
        paralog: optional('paralog'),
        hotspot: optional('hotspot'),
      };
    });
}
