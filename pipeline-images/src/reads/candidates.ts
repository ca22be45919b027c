import { alleleKey, alleleType } from '@seqpanel/crds/allele.ts';
import type { Hotspot, PanelFile } from '@seqpanel/crds/panel.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import { type AlleleCount, type Counts, newAllele, SYMBOL_DEL, SYMBOL_INS, SYMBOLS, total, WIDTH } from './counts.ts';
import { type AmpliconAllele, allelesOf, codeOf } from './haplotypes.ts';
import { type Change, homopolymer } from './normalise.ts';
import type { Target } from './target.ts';

/** A row of candidates.tsv.gz: one allele on one amplicon. */
export interface Candidate extends Change {
  key: string;
  target: Target;
  type: string;
  length: number;
  atoms: readonly Change[];
  ref_f: number;
  ref_r: number;
  other_f: number;
  other_r: number;
  count: AlleleCount;
  refQuality: number;
  refMapq: number;
  homopolymer: number;
  primerDistance: number | undefined;
  paralog: string | undefined;
  hotspot: string | undefined;
}

export interface CandidateOptions {
  genome: string;
  /** Canonical contig name by contig. */
  canonical: ReadonlyMap<string, string>;
  contigOrder: ReadonlyMap<string, number>;
  minFragments: number;
}

/** Returns all rows by contig, position, allele and amplicon. The minimum applies to an allele over all its amplicons. */
export function candidatesOf(counts: Counts, panel: PanelFile, options: CandidateOptions): Candidate[] {
  const rows: { allele: AmpliconAllele; target: Target }[] = [];
  const sums = new Map<string, number>();
  const text = (target: Target, change: Change): string =>
    `${target.chrom}\t${change.pos}\t${change.ref}\t${change.alt}`;
  for (const target of counts.targets) {
    const repeats = repeatsOf(counts.targets, target);
    for (const allele of allelesOf(counts, target)) {
      if (repeats(allele.pos)) continue;
      rows.push({ allele, target });
      const key = text(target, allele);
      sums.set(key, (sums.get(key) ?? 0) + total(allele.count));
    }
  }
  const hotspots = new Map<string, Hotspot>(
    (panel.hotspots ?? []).map((h) => [`${h.chrom}\t${h.pos}\t${h.ref}\t${h.alt}`, h]),
  );
  const seen = new Set(rows.map(({ allele, target }) => `${text(target, allele)}\t${target.index}`));
  for (const [key, hotspot] of hotspots)
    for (const target of counts.targets) {
      const last = hotspot.pos + hotspot.ref.length - 1;
      if (target.chrom !== hotspot.chrom || hotspot.pos < target.insertStart || last > target.insertEnd) continue;
      if (seen.has(`${key}\t${target.index}`)) continue;
      const { pos, ref, alt } = hotspot;
      rows.push({ allele: { pos, ref, alt, atoms: [{ pos, ref, alt }], count: newAllele() }, target });
    }
  const shared = new Map(
    (panel.paralogs ?? []).flatMap((g) => g.sharedAmplicons.map((name) => [name, g.name] as const)),
  );
  const rank = (chrom: string): number => options.contigOrder.get(chrom) ?? options.contigOrder.size;
  return rows
    .filter(({ allele, target }) => {
      const key = text(target, allele);
      return hotspots.has(key) || (sums.get(key) ?? 0) >= options.minFragments;
    })
    .map(({ allele, target }): Candidate => {
      const { pos, ref, alt, atoms, count } = allele;
      const chrom = options.canonical.get(target.chrom) ?? target.chrom;
      return {
        pos,
        ref,
        alt,
        atoms,
        count,
        target,
        key: alleleKey(options.genome, { chrom, pos, ref, alt }),
        ...alleleType(ref, alt),
        ...alleleCounts(counts, target, allele),
        homopolymer: homopolymer(allele, target.window, target.windowStart),
        primerDistance: primerDistance(target, allele),
        paralog: shared.get(target.name),
        hotspot: hotspots.get(text(target, allele))?.name,
      };
    })
    .sort(
      (a, b) =>
        rank(a.target.chrom) - rank(b.target.chrom) ||
        a.pos - b.pos ||
        compare(a.ref, b.ref) ||
        compare(a.alt, b.alt) ||
        a.target.index - b.target.index,
    );
}

/** Reports where an earlier target without primers has counted the same fragments. */
function repeatsOf(targets: readonly Target[], target: Target): (pos: number) => boolean {
  if (target.primers) return () => false;
  const earlier = targets.filter(
    (other) =>
      !other.primers &&
      other.index < target.index &&
      other.chrom === target.chrom &&
      other.insertStart <= target.insertEnd &&
      other.insertEnd >= target.insertStart,
  );
  return (pos) => earlier.some((other) => pos >= other.insertStart && pos <= other.insertEnd);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Counts REF and other fragments. Over several bases the least covered base decides, because a fragment must show all of
 * them. N counts as neither.
 */
function alleleCounts(counts: Counts, target: Target, allele: AmpliconAllele) {
  const sides = [0, SYMBOLS].map((strand) => {
    let depth = Number.POSITIVE_INFINITY;
    let reference = Number.POSITIVE_INFINITY;
    const insertion = allele.alt.length > allele.ref.length && allele.ref.length === 1;
    // Skip the anchor of an indel, which is unchanged. An insertion has only its anchor to count.
    const skip =
      allele.ref.length > 1 && allele.ref.length !== allele.alt.length && allele.ref[0] === allele.alt[0] ? 1 : 0;
    for (let i = skip; i < allele.ref.length; i++) {
      const at = allele.pos + i - target.insertStart;
      if (at < 0 || at >= target.codes.length) continue;
      const row = (target.offset + at) * WIDTH + strand;
      let known = 0;
      for (let s = 0; s < 4; s++) known += counts.bases[row + s]!;
      known += counts.bases[row + SYMBOL_DEL]!;
      const code = codeOf(allele.ref[i]!);
      let same = code < 4 ? counts.bases[row + code]! : 0;
      if (insertion) same -= counts.bases[row + SYMBOL_INS]!;
      depth = Math.min(depth, known);
      reference = Math.min(reference, Math.max(0, same));
    }
    return Number.isFinite(depth) ? { depth, reference } : { depth: 0, reference: 0 };
  });
  const { forward, reverse } = allele.count;
  const [f, r] = sides as [{ depth: number; reference: number }, { depth: number; reference: number }];
  const ref_f = Math.min(f.reference, Math.max(0, f.depth - forward));
  const ref_r = Math.min(r.reference, Math.max(0, r.depth - reverse));
  const summary = counts.perTarget[target.index]!;
  return {
    ref_f,
    ref_r,
    other_f: Math.max(0, f.depth - ref_f - forward),
    other_r: Math.max(0, r.depth - ref_r - reverse),
    refQuality: refQuality(counts, target, allele),
    refMapq: summary.fragments > summary.mq0 ? summary.mapq / (summary.fragments - summary.mq0) : 0,
  };
}

function refQuality(counts: Counts, target: Target, { pos, ref }: Change): number {
  const at = target.offset + pos - target.insertStart;
  const row = at * WIDTH;
  const code = codeOf(ref[0]!);
  if (code > 3 || pos < target.insertStart || pos > target.insertEnd) return 0;
  const n = counts.bases[row + code]! + counts.bases[row + SYMBOLS + code]!;
  return n === 0 ? 0 : counts.refQuality[at]! / n;
}

function primerDistance(target: Target, { pos, ref }: Change): number | undefined {
  if (!target.primers) return undefined;
  const left = pos - target.insertStart + 1;
  const right = target.insertEnd - (pos + ref.length - 1) + 1;
  return Math.max(0, Math.min(left, right));
}

const one = (value: number): string => value.toFixed(1);

/** Returns the row as a line of candidates.tsv.gz. */
export function candidateLine(c: Candidate): string {
  const n = total(c.count);
  const atoms = c.atoms.map((a) => `${a.pos}:${a.ref}>${a.alt}`).join(';');
  const hap = c.atoms.length > 1 ? c.key.slice(0, 8) : '.';
  return [
    c.key,
    c.target.chrom,
    c.pos,
    c.ref,
    c.alt,
    c.type,
    c.length,
    hap,
    atoms,
    c.target.name,
    c.ref_f,
    c.ref_r,
    c.count.forward,
    c.count.reverse,
    c.other_f,
    c.other_r,
    one(c.refQuality),
    n === 0 ? '.' : one(c.count.baseQuality / n),
    one(c.refMapq),
    n === 0 ? '.' : one(c.count.mapQuality / n),
    n === 0 ? '.' : (median(c.count.readPositions) ?? '.'),
    n === 0 ? '.' : (median(c.count.endDistances) ?? '.'),
    c.primerDistance ?? '.',
    c.homopolymer,
    c.paralog ?? '.',
    c.hotspot ?? '.',
  ].join('\t');
}
