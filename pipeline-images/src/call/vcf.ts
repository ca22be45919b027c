import { CALL_FILTERS, CALL_FORMAT, CALL_INFO, type CallFilter } from '@seqpanel/crds/outputs/call.ts';
import { scoreInterval } from '@seqpanel/crds/statistics.ts';
import type { RunAllele } from '../cohort/cohort-files.ts';
import type { Called } from './merge.ts';

/** A call to write. */
export interface CallRow extends Called {
  filters: readonly CallFilter[];
  quality: number;
  error: number;
  strandP: number;
  gt: string;
  gq: number;
  run: RunAllele | undefined;
  /** REF, ALT and all fragments of the pair's normal. */
  normal?: { ref: number; alt: number; depth: number };
}

const quoted = (text: string): string => text.replaceAll('"', "'");

/** Returns the header of calls.vcf.gz, without paths or times, so that equal calls give equal bytes. */
export function vcfHeader(
  contigs: readonly { name: string; length: number }[],
  genome: string,
  sample: string,
): string {
  return [
    '##fileformat=VCFv4.2',
    `##reference=${genome}`,
    ...contigs.map(({ name, length }) => `##contig=<ID=${name},length=${length}>`),
    ...Object.entries(CALL_FILTERS).map(([id, text]) => `##FILTER=<ID=${id},Description="${quoted(text)}">`),
    ...fields('INFO', CALL_INFO),
    ...fields('FORMAT', CALL_FORMAT),
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`,
  ].join('\n');
}

const fields = (kind: string, all: Readonly<Record<string, readonly [string, string, string]>>): string[] =>
  Object.entries(all).map(
    ([id, [number, type, text]]) => `##${kind}=<ID=${id},Number=${number},Type=${type},Description="${quoted(text)}">`,
  );

const number = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
const ratio = (part: number, rest: number): string => (part + rest === 0 ? '.' : number(part / (part + rest), 4));

/** Returns one line of calls.vcf.gz. */
export function vcfLine(row: CallRow): string {
  const { evidence: e, run } = row;
  const [ref, alt] = [e.refF + e.refR, e.altF + e.altR];
  const vaf = e.depth === 0 ? 0 : alt / e.depth;
  const [low, high] = scoreInterval(alt, e.depth);
  const info: [string, string | number | undefined][] = [
    ['KEY', e.key],
    ['TYPE', e.type],
    ['LEN', e.length],
    ['HAP', e.hapId],
    ['ATOMS', e.atoms.replaceAll(';', ',')],
    ['HRUN', e.homopolymer || undefined],
    ['PDIST', e.primerDistance],
    ['PARALOG', e.paralog],
    ['HOTSPOT', e.hotspot?.replace(/[\s;=,]/g, '_')],
    ['CALLER', row.caller],
    ['RUN_N', run?.samples],
    ['RUN_MAXVAF', run ? number(run.maxVaf, 4) : undefined],
    ['NTC', run?.ntc],
  ];
  const known = row.caller !== 'freebayes';
  const sample: [string, string | number][] = [
    ['GT', row.gt],
    ['GQ', row.gq],
    ['DP', e.depth],
    ['AD', `${ref},${alt}`],
    ['ADF', `${e.refF},${e.altF}`],
    ['ADR', `${e.refR},${e.altR}`],
    ['VAF', number(vaf, 5)],
    ['CI', `${number(low, 5)},${number(high, 5)}`],
    ['QL', number(row.quality, 1)],
    ['SE', row.error.toExponential(2)],
    ['BQ', known ? `${number(e.refBq, 1)},${number(e.altBq, 1)}` : '.'],
    ['MQ', known ? `${number(e.refMq, 1)},${number(e.altMq, 1)}` : '.'],
    ['SR', `${ratio(e.refF, e.refR)},${ratio(e.altF, e.altR)}`],
    ['SB', row.strandP.toPrecision(3)],
    ['RP', known ? Math.round(e.readPos) : '.'],
    ['ED', known ? Math.round(e.endDistance) : '.'],
    ['UMI', '.'],
    ['AMP', e.amplicons.map((a) => `${a.amplicon}|${a.ref}|${a.alt}|${a.depth}`).join(',') || '.'],
  ];
  if (row.normal) {
    const { normal } = row;
    sample.push(['N_AD', `${normal.ref},${normal.alt}`], ['N_DP', normal.depth], ['N_P', '.'], ['SS', '.']);
  }
  return [
    e.chrom,
    e.pos,
    '.',
    e.ref,
    e.alt,
    number(row.quality, 1),
    row.filters.length === 0 ? 'PASS' : row.filters.join(';'),
    info
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${value}`)
      .join(';'),
    sample.map(([key]) => key).join(':'),
    sample.map(([, value]) => value).join(':'),
  ].join('\t');
}
