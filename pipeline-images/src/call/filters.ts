import type { CallFilter } from '@seqpanel/crds/outputs/call.ts';
import { fisherExact, lnBinomialTail } from '@seqpanel/crds/statistics.ts';
import type { Evidence } from './evidence.ts';

export interface CallLimits {
  callFloor: number;
  reportFloor: number;
  minDepth: number;
  minAlt: number;
  minQuality: number;
  strandP: number;
}

/** Least difference of the strand ratios of ALT and REF for a bias. In deep data even a tiny difference has a small p. */
const STRAND_DIFFERENCE = 0.3;
/** ALT bases closer than this to the ends of their reads may be misaligned. */
const READ_END = 4;
/** From this length on, a run of one base causes slippage of the polymerase. */
const HOMOPOLYMER = 6;
/** Frequency explained by slippage, per base of the run beyond HOMOPOLYMER - 1. */
const SLIPPAGE_PER_BASE = 0.02;
const LOW_MAPQ = 5;
/** Probability below which a missing change on an amplicon is not chance. */
const MISSING_P = 1e-4;
const LN_MISSING = Math.log(MISSING_P);

export interface Judged {
  filters: CallFilter[];
  strandP: number;
}

/** Returns every filter that applies, in the order of CALL_FILTERS. Empty means PASS. */
export function judgeCall(e: Evidence, quality: number, inRoi: boolean, limits: CallLimits): Judged {
  const alt = e.altF + e.altR;
  const vaf = e.depth === 0 ? 0 : alt / e.depth;
  const strandP = fisherExact(e.altF, e.altR, e.refF, e.refR);
  const ref = e.refF + e.refR;
  const altRatio = alt === 0 ? 0 : e.altF / alt;
  // A homozygous call has no REF for comparison, so expect both strands equally.
  const refRatio = ref === 0 ? altRatio : e.refF / ref;
  const indel = e.ref.length !== e.alt.length;
  const oneBase = indel && Math.abs(e.ref.length - e.alt.length) <= 2;
  const filters: CallFilter[] = [];
  const mark = (name: CallFilter, applies: boolean): void => {
    if (applies) filters.push(name);
  };
  mark('outside_roi', !inRoi);
  mark('low_depth', e.depth < limits.minDepth);
  mark('low_vaf', vaf < limits.reportFloor);
  mark('below_floor', vaf < limits.callFloor);
  mark('low_alt', alt < limits.minAlt);
  mark('low_quality', quality < limits.minQuality);
  mark('strand_bias', strandP < limits.strandP && Math.abs(altRatio - refRatio) >= STRAND_DIFFERENCE);
  mark('read_end', e.endDistance < READ_END && (e.primerDistance ?? Number.POSITIVE_INFINITY) > 2 * READ_END);
  mark('primer', e.primerDistance === 0);
  mark(
    'homopolymer',
    oneBase && e.homopolymer >= HOMOPOLYMER && vaf < SLIPPAGE_PER_BASE * (e.homopolymer - HOMOPOLYMER + 2),
  );
  mark('low_mapq', alt > 0 && e.altMq < LOW_MAPQ);
  mark('amplicon_bias', isAmpliconBias(e));
  return { filters, strandP };
}

/** Reports whether an amplicon that covers the change shows it far less often than the others predict. */
function isAmpliconBias({ amplicons, primerDistance }: Evidence): boolean {
  // Skip targets without primers: overlapping ones share their fragments.
  if (amplicons.length < 2 || primerDistance === undefined) return false;
  return amplicons.some((one) => {
    const others = amplicons.filter((other) => other !== one);
    const alt = others.reduce((sum, other) => sum + other.alt, 0);
    const depth = others.reduce((sum, other) => sum + other.depth, 0);
    if (depth === 0 || one.depth === 0 || alt <= one.alt) return false;
    const expected = alt / depth;
    // P(at most one.alt of one.depth) = P(at least depth - alt fragments without the change).
    const lnP = lnBinomialTail(one.depth - one.alt, one.depth, 1 - expected);
    return lnP < LN_MISSING && one.alt / one.depth < expected / 3;
  });
}
