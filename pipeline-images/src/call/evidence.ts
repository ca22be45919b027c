import type { CandidateRow } from '../reads/candidate-file.ts';
import { SYMBOLS, WIDTH } from '../reads/counts.ts';
import { knownFragments, type Pileup, type PileupIndex } from '../reads/pileup-file.ts';
import { BASE_CODE } from '../reads/target.ts';

/** Counts of an allele on one amplicon. */
export interface AmpliconEvidence {
  amplicon: string;
  ref: number;
  alt: number;
  depth: number;
}

/** Counts and measures of an allele in a sample. */
export interface Evidence extends Omit<CandidateRow, 'amplicon' | 'otherF' | 'otherR'> {
  depth: number;
  amplicons: AmpliconEvidence[];
}

/** Adds up an allele's rows over its amplicons. Amplicons that cover it without showing it are read from the pileup. */
export function gather(rows: readonly CandidateRow[], pileup: Pileup, index: PileupIndex): Evidence[] {
  const groups = new Map<string, CandidateRow[]>();
  for (const row of rows) {
    const group = groups.get(row.key);
    if (group) group.push(row);
    else groups.set(row.key, [row]);
  }
  return [...groups.values()].map((group) => addUp(group, pileup, index));
}

function addUp(rows: readonly CandidateRow[], pileup: Pileup, index: PileupIndex): Evidence {
  const first = rows[0]!;
  const sum = (key: 'refF' | 'refR' | 'altF' | 'altR'): number => rows.reduce((all, row) => all + row[key], 0);
  const weighted = (value: 'altBq' | 'altMq' | 'readPos' | 'endDistance'): number => {
    const alt = rows.reduce((all, row) => all + row.altF + row.altR, 0);
    return alt === 0 ? 0 : rows.reduce((all, row) => all + row[value] * (row.altF + row.altR), 0) / alt;
  };
  const ofRef = (value: 'refBq' | 'refMq'): number => {
    const ref = rows.reduce((all, row) => all + row.refF + row.refR, 0);
    return ref === 0 ? first[value] : rows.reduce((all, row) => all + row[value] * (row.refF + row.refR), 0) / ref;
  };
  const amplicons = rows.map((row) => ({
    amplicon: row.amplicon,
    ref: row.refF + row.refR,
    alt: row.altF + row.altR,
    depth: row.refF + row.refR + row.altF + row.altR + row.otherF + row.otherR,
  }));
  const { amplicon: _amplicon, otherF: _otherF, otherR: _otherR, ...allele } = first;
  const evidence: Evidence = {
    ...allele,
    refF: sum('refF'),
    refR: sum('refR'),
    altF: sum('altF'),
    altR: sum('altR'),
    depth: amplicons.reduce((all, { depth }) => all + depth, 0),
    refBq: ofRef('refBq'),
    altBq: weighted('altBq'),
    refMq: ofRef('refMq'),
    altMq: weighted('altMq'),
    readPos: weighted('readPos'),
    endDistance: weighted('endDistance'),
    primerDistance: furthest(rows),
    homopolymer: rows.reduce((most, row) => Math.max(most, row.homopolymer), 0),
    amplicons,
  };
  const known = new Set(rows.map((row) => row.amplicon));
  for (const { amplicon, slot } of index.at(first.chrom, first.pos)) {
    if (known.has(amplicon)) continue;
    const absent = withoutAllele(first, pileup, slot);
    evidence.refF += absent.refF;
    evidence.refR += absent.refR;
    evidence.depth += absent.depth;
    amplicons.push({ amplicon, ref: absent.refF + absent.refR, alt: 0, depth: absent.depth });
  }
  amplicons.sort((a, b) => (a.amplicon < b.amplicon ? -1 : 1));
  return evidence;
}

/** Returns the distance to the nearer primer, on the amplicon where that distance is largest. */
function furthest(rows: readonly CandidateRow[]): number | undefined {
  let most: number | undefined;
  for (const { primerDistance } of rows) if (primerDistance !== undefined) most = Math.max(most ?? 0, primerDistance);
  return most;
}

function withoutAllele({ ref }: CandidateRow, { cells }: Pileup, slot: number) {
  const code = BASE_CODE[ref.charCodeAt(0)]!;
  const [refF, refR] = code > 3 ? [0, 0] : [cells[slot * WIDTH + code]!, cells[slot * WIDTH + SYMBOLS + code]!];
  return { refF, refR, depth: knownFragments(cells, slot, 0) + knownFragments(cells, slot, 1) };
}

/** Returns the fragments over a base by strand, all amplicons together. */
export function depthOf(pileup: Pileup, index: PileupIndex, chrom: string, pos: number): [number, number] {
  let [forward, reverse] = [0, 0];
  for (const { slot } of index.at(chrom, pos)) {
    forward += knownFragments(pileup.cells, slot, 0);
    reverse += knownFragments(pileup.cells, slot, 1);
  }
  return [forward, reverse];
}
