/** Ranks transcripts to decide which one is shown first. */

import { cdsLength, type Transcript } from '../genome/transcript.ts';
import type { Consequence } from './alleles.ts';
import { severityOf } from './terms.ts';

export const RANKS = ['preferred', 'MANE', 'longest', 'other'] as const;
export type Rank = (typeof RANKS)[number];

const unversioned = (id: string): string => id.replace(/\.\d+$/, '');

/** Ranks every transcript: preferred by the laboratory, MANE Select, longest coding one of its gene, other. */
export function rankTranscripts(
  transcripts: readonly Transcript[],
  preferred: Readonly<Record<string, string>>,
): Map<string, Rank> {
  const ranks = new Map<string, Rank>();
  for (const own of Map.groupBy(transcripts, (t) => t.gene).values()) {
    const longest = own.toSorted(
      (a, b) => cdsLength(b) - cdsLength(a) || b.end - b.start - (a.end - a.start) || (a.id < b.id ? -1 : 1),
    )[0]!;
    for (const t of own) {
      const wanted = preferred[t.gene];
      // Ignore the version when the laboratory gives none or another one than installed.
      const named = wanted !== undefined && (wanted === t.id || unversioned(wanted) === unversioned(t.id));
      ranks.set(t.id, named ? 'preferred' : t.mane ? 'MANE' : t === longest ? 'longest' : 'other');
    }
  }
  return ranks;
}

/** Sorts the consequences of an allele by rank, severity and accession. The first is shown. */
export function orderConsequences(
  consequences: readonly Consequence[],
  ranks: ReadonlyMap<string, Rank>,
): (Consequence & { rank: Rank })[] {
  const place = (rank: Rank): number => RANKS.indexOf(rank);
  return consequences
    .map((consequence) => ({ ...consequence, rank: ranks.get(consequence.transcript) ?? ('other' as const) }))
    .sort(
      (a, b) =>
        place(a.rank) - place(b.rank) ||
        severityOf(a.terms) - severityOf(b.terms) ||
        (a.transcript < b.transcript ? -1 : a.transcript > b.transcript ? 1 : 0),
    );
}
