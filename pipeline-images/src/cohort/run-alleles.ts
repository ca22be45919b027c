import { median } from '@seqpanel/crds/statistics.ts';
import type { CandidateRow } from '../reads/candidate-file.ts';
import type { SampleRow } from '../runner/frozen.ts';
import { sharesIndexOrWell } from './neighbours.ts';

/** An allele of a sample over all its amplicons. */
export interface SampleAllele {
  key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  type: string;
  altFragments: number;
  depth: number;
  vaf: number;
}

/** Adds up the rows of a sample over amplicons, by allele key. */
export function sumAlleles(rows: readonly CandidateRow[]): Map<string, SampleAllele> {
  const alleles = new Map<string, SampleAllele>();
  for (const row of rows) {
    const alt = row.altF + row.altR;
    const depth = alt + row.refF + row.refR + row.otherF + row.otherR;
    const known = alleles.get(row.key);
    if (known) {
      known.altFragments += alt;
      known.depth += depth;
    } else {
      const { key, chrom, pos, ref, alt: altBases, type } = row;
      alleles.set(key, { key, chrom, pos, ref, alt: altBases, type, altFragments: alt, depth, vaf: 0 });
    }
  }
  for (const allele of alleles.values()) allele.vaf = allele.depth === 0 ? 0 : allele.altFragments / allele.depth;
  return alleles;
}

export interface RunSample {
  row: SampleRow;
  alleles: ReadonlyMap<string, SampleAllele>;
}

/** Fewest ALT fragments for a sample to count as a carrier of an allele. */
const CARRIER_FRAGMENTS = 2;

/** Returns the lines of run_alleles.tsv.gz: every allele of the run. */
export function runAlleleLines(samples: readonly RunSample[], order: ReadonlyMap<string, number>): string[] {
  const all = new Map<
    string,
    { allele: SampleAllele; carriers: { row: SampleRow; allele: SampleAllele }[]; ntc: number }
  >();
  for (const { row, alleles } of samples)
    for (const allele of alleles.values()) {
      let entry = all.get(allele.key);
      if (!entry) {
        entry = { allele, carriers: [], ntc: 0 };
        all.set(allele.key, entry);
      }
      if (row.qcType === 'NTC') entry.ntc += allele.altFragments;
      else if (allele.altFragments >= CARRIER_FRAGMENTS) entry.carriers.push({ row, allele });
    }
  const rank = (chrom: string): number => order.get(chrom) ?? order.size;
  return [...all.values()]
    .sort(
      ({ allele: a }, { allele: b }) =>
        rank(a.chrom) - rank(b.chrom) || a.pos - b.pos || (a.ref + a.alt < b.ref + b.alt ? -1 : 1),
    )
    .map(({ allele, carriers, ntc }) => {
      const vafs = carriers.map((carrier) => carrier.allele.vaf);
      let top = carriers[0];
      for (const carrier of carriers) if (carrier.allele.vaf > top!.allele.vaf) top = carrier;
      let neighbour: number | undefined;
      if (top)
        for (const other of samples) {
          if (other.row === top.row || !sharesIndexOrWell(other.row, top.row)) continue;
          neighbour = Math.max(neighbour ?? 0, other.alleles.get(allele.key)?.vaf ?? 0);
        }
      return [
        allele.chrom,
        allele.pos,
        allele.ref,
        allele.alt,
        allele.key,
        carriers.length,
        median(vafs)?.toFixed(4) ?? '.',
        top?.allele.vaf.toFixed(4) ?? '.',
        top?.row.sample ?? '.',
        ntc,
        neighbour?.toFixed(4) ?? '.',
      ].join('\t');
    });
}
