import { writeFile } from 'node:fs/promises';
import {
  AMPLICON_DEPTHS,
  AMPLICONS,
  CANDIDATES,
  CONVERSION,
  IDENTITY,
  METHYLATION,
  PARALOG_SITES,
  PATTERNS,
  PILEUP,
} from '@seqpanel/crds/outputs/reads.ts';
import { NO_VALUE, type OutputTable } from '@seqpanel/crds/outputs/table.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import { type BigWigContig, bigWig, type Stretch } from '../tables/bigwig.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { type Candidate, candidateLine } from './candidates.ts';
import { type Counts, DEPTH_READS, MQ0, SYMBOL_INS, SYMBOLS, WIDTH } from './counts.ts';
import { BASES, type Target } from './target.ts';

/** Fragments that cover a base, N and deleted bases included. */
export function depthAt(counts: Counts, base: number): number {
  let depth = 0;
  for (let s = 0; s < SYMBOLS; s++)
    if (s !== SYMBOL_INS) depth += counts.bases[base * WIDTH + s]! + counts.bases[base * WIDTH + SYMBOLS + s]!;
  return depth;
}

/** Returns depth by contig and position. Adds up amplicons with primers that share a base. */
export function depthByPosition(counts: Counts): Map<string, Map<number, number>> {
  const contigs = new Map<string, Map<number, number>>();
  const seenOpen = new Set<string>();
  for (const target of counts.targets) {
    let depths = contigs.get(target.chrom);
    if (!depths) {
      depths = new Map();
      contigs.set(target.chrom, depths);
    }
    for (let i = 0; i < target.codes.length; i++) {
      const pos = target.insertStart + i;
      if (!target.primers) {
        const key = `${target.chrom}\t${pos}`;
        if (seenOpen.has(key)) continue;
        seenOpen.add(key);
      }
      depths.set(pos, (depths.get(pos) ?? 0) + depthAt(counts, target.offset + i));
    }
  }
  return contigs;
}

/** Returns depth.u32 in the order of `depthOrder`. */
export function depthBytes(counts: Counts, depths: ReadonlyMap<string, ReadonlyMap<number, number>>): Buffer {
  const last = counts.targets.at(-1);
  const bytes = Buffer.alloc((last ? last.offset + last.codes.length : 0) * 4);
  for (const target of counts.targets) {
    const contig = depths.get(target.chrom)!;
    for (let i = 0; i < target.codes.length; i++)
      bytes.writeUInt32LE(contig.get(target.insertStart + i) ?? 0, (target.offset + i) * 4);
  }
  return bytes;
}

/** Lines of pileup.tsv.gz by contig, position and amplicon. */
export function pileupLines(counts: Counts, order: ReadonlyMap<string, number>): string[] {
  const rows: { rank: number; pos: number; target: Target; base: number }[] = [];
  for (const target of counts.targets)
    for (let i = 0; i < target.codes.length; i++) {
      const base = target.offset + i;
      if (counts.bases[base * WIDTH + DEPTH_READS]! + counts.bases[base * WIDTH + MQ0]! === 0) continue;
      rows.push({ rank: order.get(target.chrom) ?? 0, pos: target.insertStart + i, target, base });
    }
  rows.sort((a, b) => a.rank - b.rank || a.pos - b.pos || a.target.index - b.target.index);
  return rows.map(({ pos, target, base }) => {
    const cells = counts.bases.subarray(base * WIDTH, (base + 1) * WIDTH);
    return `${target.chrom}\t${pos}\t${target.name}\t${BASES[target.codes[base - target.offset]!]}\t${cells.join('\t')}`;
  });
}

const percent = (part: number, whole: number): string => (whole === 0 ? NO_VALUE : ((100 * part) / whole).toFixed(2));

/** Lines of amplicons.tsv in panel order. */
export function ampliconLines(counts: Counts, panel: PanelFile): string[] {
  const all = counts.perTarget.reduce((sum, { fragments }) => sum + fragments, 0);
  return counts.targets.map((target) => {
    const summary = counts.perTarget[target.index]!;
    const depths = Array.from(target.codes, (_, i) => depthAt(counts, target.offset + i));
    const mean = depths.reduce((sum, depth) => sum + depth, 0) / Math.max(1, depths.length);
    const from = target.start - target.windowStart;
    const bases = target.window.slice(from, from + target.end - target.start + 1);
    return [
      target.name,
      panel.amplicons[target.index]!.pool ?? NO_VALUE,
      summary.fragments,
      summary.forward,
      summary.reverse,
      mean.toFixed(2),
      depths.reduce((least, depth) => Math.min(least, depth), depths[0] ?? 0),
      median(depths) ?? 0,
      ...AMPLICON_DEPTHS.map((least) => percent(depths.filter((depth) => depth >= least).length, depths.length)),
      percent(summary.fragments, all),
      percent(bases.replace(/[^GC]/g, '').length, bases.length),
      summary.mq0,
      summary.dimers,
    ].join('\t');
  });
}

function countAt(counts: Counts, chrom: string, pos: number, base: string): [forward: number, reverse: number] {
  let forward = 0;
  let reverse = 0;
  const code = BASES.indexOf(base);
  for (const target of counts.targets) {
    if (target.chrom !== chrom || pos < target.insertStart || pos > target.insertEnd || code < 0 || code > 3) continue;
    const row = (target.offset + pos - target.insertStart) * WIDTH;
    forward += counts.bases[row + code]!;
    reverse += counts.bases[row + SYMBOLS + code]!;
  }
  return [forward, reverse];
}

/** Lines of identity.tsv. */
export const identityLines = (counts: Counts, panel: PanelFile): string[] =>
  (panel.identitySnps ?? []).map(({ name, chrom, pos, ref, alt }) => {
    const [a, b] = [countAt(counts, chrom, pos, ref), countAt(counts, chrom, pos, alt)];
    return [name, chrom, pos, ref, alt, a[0] + a[1], b[0] + b[1]].join('\t');
  });

/** Lines of paralog_sites.tsv. A base counts for its locus wherever its read was mapped. */
export const paralogLines = (counts: Counts, panel: PanelFile): string[] =>
  (panel.paralogs ?? []).flatMap((group) =>
    group.sites.flatMap((site) =>
      group.loci.map((locus, i) => {
        let forward = 0;
        let reverse = 0;
        group.loci.forEach(({ chrom }, place) => {
          const [f, r] = countAt(counts, chrom, site.positions[place] ?? 0, site.bases[i] ?? 'N');
          forward += f;
          reverse += r;
        });
        return [group.name, site.name, locus.name, site.bases[i] ?? NO_VALUE, forward, reverse].join('\t');
      }),
    ),
  );

/** Returns intervals of equal depth per contig: the exact coverage. */
export function coverageOf(
  depths: ReadonlyMap<string, ReadonlyMap<number, number>>,
  lengths: ReadonlyMap<string, number>,
): BigWigContig[] {
  return [...depths].map(([name, contig]) => {
    const stretches: Stretch[] = [];
    const positions = Int32Array.from(contig.keys()).sort();
    for (let i = 0; i < positions.length; ) {
      const value = contig.get(positions[i]!)!;
      let j = i + 1;
      while (j < positions.length && positions[j] === positions[j - 1]! + 1 && contig.get(positions[j]!) === value) j++;
      if (value > 0) stretches.push({ start: positions[i]! - 1, end: positions[j - 1]!, value });
      i = j;
    }
    return { name, length: lengths.get(name) ?? positions.at(-1) ?? 0, stretches };
  });
}

/** Tables that start with the allele key have the contig in column 2. */
const SECOND = { chrom: 2, start: 3, end: 3 };

export interface ReadsTables {
  counts: Counts;
  panel: PanelFile;
  candidates: readonly Candidate[];
  /** Order and length of the genome's contigs. */
  order: ReadonlyMap<string, number>;
  lengths: ReadonlyMap<string, number>;
}

/** Writes every table of the step to `out`. Compresses and indexes tables by position. */
export async function writeTables(
  { counts, panel, candidates, order, lengths }: ReadsTables,
  out: string,
): Promise<void> {
  const depths = depthByPosition(counts);
  const plain: [OutputTable, string[]][] = [
    [AMPLICONS, ampliconLines(counts, panel)],
    [IDENTITY, identityLines(counts, panel)],
    [PARALOG_SITES, paralogLines(counts, panel)],
    [CONVERSION, []],
  ];
  await Promise.all([
    ...plain.map(([table, lines]) => writeFile(`${out}/${table.file}`, tableText(table, lines))),
    writeFile(`${out}/depth.u32`, depthBytes(counts, depths)),
    writeZipped(`${out}/${PILEUP.file}`, tableText(PILEUP, pileupLines(counts, order)), { chrom: 1, start: 2, end: 2 }),
    writeZipped(`${out}/${CANDIDATES.file}`, tableText(CANDIDATES, candidates.map(candidateLine)), SECOND),
    writeZipped(`${out}/${METHYLATION.file}`, tableText(METHYLATION, []), SECOND),
    writeZipped(`${out}/${PATTERNS.file}`, tableText(PATTERNS, [])),
    writeFile(`${out}/coverage.bw`, bigWig(coverageOf(depths, lengths))),
  ]);
}
