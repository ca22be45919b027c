/** Evidence and flags of one call, from its row and INFO fields. Pure. */

import type { AnswerOf } from '../feature.ts';
import type { CallColumns } from './variant-row.ts';

export type VariantDetail = AnswerOf<'getVariant'>;
type Evidence = VariantDetail['evidence']['ref'];

/** Distance to a primer, in bp, below which the change is flagged. */
const NEAR_PRIMER = 5;
/** Length of a homopolymer that causes slippage indels. */
const LONG_HOMOPOLYMER = 6;
/** Median distance to the read end, in bp, up to which a change is flagged as only at read ends. */
const READ_END = 5;
/** Ratio of allele frequencies between two amplicons above which they disagree. */
const AMPLICON_FACTOR = 3;

/** Parses one of the comma-separated numbers of an INFO field. */
export const numberIn = (value: unknown, at = 0): number | null => {
  const text = typeof value === 'string' ? value.split(',')[at] : undefined;
  const number = text === undefined || text === '' || text === '.' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
};

const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

export function evidenceOf(row: CallColumns, info: Record<string, unknown>): VariantDetail['evidence'] {
  const allele = (forward: number | null, reverse: number | null, at: number): Evidence => ({
    forward,
    reverse,
    total: plus(forward, reverse),
    base_quality: numberIn(info['BQ'], at),
    mapping_quality: numberIn(info['MQ'], at),
  });
  const ref = allele(row.ref_forward, row.ref_reverse, 0);
  const alt: Evidence = {
    ...allele(row.alt_forward, row.alt_reverse, 1),
    read_position: numberIn(info['RP']),
    umi_single: numberIn(info['UMI'], 0),
    umi_duplex: numberIn(info['UMI'], 1),
  };
  const counted = plus(ref.total, alt.total);
  const other = row.depth === null || counted === null ? null : Math.max(0, row.depth - counted);
  return {
    ref,
    alt,
    // The VCF gives strands of REF and ALT only; other alleles have a total.
    other: { forward: null, reverse: null, total: other },
    total: { forward: plus(ref.forward, alt.forward), reverse: plus(ref.reverse, alt.reverse), total: row.depth },
  };
}

export function flagsOf(info: Record<string, unknown>): VariantDetail['flags'] {
  const flags: VariantDetail['flags'] = [];
  const distance = numberIn(info['PDIST']);
  if (distance !== null && distance <= NEAR_PRIMER) flags.push({ code: 'near_primer', value: distance });
  const run = numberIn(info['HRUN']);
  if (run !== null && run >= LONG_HOMOPOLYMER) flags.push({ code: 'homopolymer', value: run });
  const end = numberIn(info['ED']);
  if (end !== null && end <= READ_END) flags.push({ code: 'read_ends', value: end });
  if (typeof info['PARALOG'] === 'string') flags.push({ code: 'paralog', value: info['PARALOG'] });
  const frequencies = ampliconFrequencies(info['AMP']);
  if (frequencies.length > 1 && Math.max(...frequencies) > AMPLICON_FACTOR * Math.min(...frequencies)) {
    flags.push({ code: 'amplicons_disagree', value: frequencies.map((f) => f.toFixed(4)).join(', ') });
  }
  const ntc = numberIn(info['NTC']);
  if (ntc !== null && ntc > 0) flags.push({ code: 'seen_in_ntc', value: ntc });
  return flags;
}

/** Parses the allele frequencies from `name|REF|ALT|DP` of each amplicon. */
const ampliconFrequencies = (text: unknown): number[] =>
  typeof text !== 'string'
    ? []
    : text.split(',').flatMap((part) => {
        const [, , alt, depth] = part.split('|').map(Number);
        return depth && alt !== undefined && depth > 0 ? [alt / depth] : [];
      });
