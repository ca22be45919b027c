/** Judges the control samples of a run. Pure. */

import { type Contig, matchContig } from '@seqpanel/crds/contigs.ts';
import type { ExpectedCall } from '@seqpanel/crds/control-file.ts';
import type { ControlsFile } from '@seqpanel/crds/outputs/qc.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';
import { numberOf } from '../tables/read-table.ts';

/** An expected call counts as found within this share of its stated frequency. */
const FOUND_FROM = 0.3;

const site = ({ chrom, pos, ref, alt }: VcfRecord) => ({ chrom, pos, ref, alt });
const depthOf = (record: VcfRecord): number | null => numberOf(record.format.get('DP')) ?? null;
const vafOf = (record: VcfRecord): number => numberOf(record.format.get('VAF')) ?? 0;
const altOf = (record: VcfRecord): number => Number(record.format.get('AD')?.split(',')[1] ?? 0);

/** Judges an NTC: lists the amplicons over the limit and the alleles seen in them. An empty NTC passes. */
export function judgeNtc(
  sample: string,
  amplicons: readonly { amplicon: string; fragments: number }[],
  calls: readonly VcfRecord[],
  limit: number,
): ControlsFile['ntc'][number] {
  const over = amplicons.filter(({ fragments }) => fragments > limit);
  return {
    sample,
    verdict: over.length === 0 ? 'pass' : 'fail',
    limit,
    fragments: amplicons.reduce((sum, { fragments }) => sum + fragments, 0),
    amplicons: over.map(({ amplicon, fragments }) => ({ amplicon, fragments })),
    alleles: calls
      .filter((record) => altOf(record) > limit)
      .map((record) => ({ ...site(record), allele_key: record.info.get('KEY') ?? '.', fragments: altOf(record) })),
  };
}

/** Judges a negative control: every call that the filters keep is unexpected. */
export function judgeNegative(sample: string, kept: readonly VcfRecord[]): ControlsFile['negCtrl'][number] {
  const unexpected = kept.map((record) => ({
    ...site(record),
    allele_key: record.info.get('KEY') ?? '.',
    vaf: vafOf(record),
  }));
  return { sample, verdict: unexpected.length === 0 ? 'pass' : 'fail', unexpected };
}

/**
 * Judges a positive control: which calls of its material were found. Without a named material, uses the only material of
 * the control file. Without any material, the control is not assessed.
 */
export function judgePositive(
  sample: string,
  material: string | undefined,
  expected: readonly ExpectedCall[],
  calls: readonly VcfRecord[],
  contigs: readonly Contig[],
): ControlsFile['posCtrl'][number] {
  const materials = [...new Set(expected.map((call) => call.material))];
  const name = material ?? (materials.length === 1 ? materials[0] : undefined);
  const wanted = expected.filter((call) => call.material === name);
  if (wanted.length === 0) return { sample, verdict: 'not_assessed', material: name ?? null, expected: [], missing: 0 };
  const key = (c: { chrom: string; pos: number; ref: string; alt: string }): string =>
    `${c.chrom}:${c.pos}${c.ref}>${c.alt}`;
  const byKey = new Map(calls.map((record) => [key(record), record]));
  const rows = wanted.map(({ chrom, pos, ref, alt, vaf }) => {
    const place = { chrom: matchContig(contigs, { name: chrom })?.name ?? chrom, pos, ref, alt };
    const call = byKey.get(key(place));
    // The file also contains filtered calls. They count when their frequency is near the stated one.
    const measured = call ? vafOf(call) : null;
    const found = measured !== null && (call!.filter === 'PASS' || measured >= FOUND_FROM * (vaf ?? 1));
    return { ...place, vaf: vaf ?? null, found, measured, depth: call ? depthOf(call) : null };
  });
  const missing = rows.filter((row) => !row.found).length;
  return { sample, verdict: missing === 0 ? 'pass' : 'fail', material: name ?? null, expected: rows, missing };
}
