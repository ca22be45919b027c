/** Tumor-normal pairs of the wizard's draft, by sample id. */
import { suggestPairs } from '@seqpanel/crds/pairing.ts';
import type { Draft, DraftPair, DraftSample } from './draft.ts';

/** Pairs a tumor with a normal by id; '' removes its pair. */
export function withPair(draft: Draft, tumor: string, normal: string): Draft {
  const others = draft.pairs.filter((pair) => pair.tumor !== tumor);
  if (normal === '') return { ...draft, pairs: others };
  const before = draft.pairs.find((pair) => pair.tumor === tumor);
  const name = before?.name ?? draft.samples.find(({ id }) => id === tumor)?.name ?? '';
  return { ...draft, pairs: [...others, { name, tumor, normal }] };
}

export function withPairName(draft: Draft, tumor: string, name: string): Draft {
  return { ...draft, pairs: draft.pairs.map((pair) => (pair.tumor === tumor ? { ...pair, name } : pair)) };
}

/** Returns the samples of a role that are not skipped. */
export const samplesOf = (draft: Draft, role: DraftSample['role']): DraftSample[] =>
  draft.samples.filter((sample) => sample.role === role && !sample.skipped);

/** Suggests pairs for unpaired tumors by name. A name that two samples share is ignored. */
export function suggestedPairs(draft: Draft): Pick<DraftPair, 'tumor' | 'normal'>[] {
  const paired = new Set(draft.pairs.map((pair) => pair.tumor));
  const idsOf = (name: string): string[] => draft.samples.filter((each) => each.name === name).map(({ id }) => id);
  const unpaired = samplesOf(draft, 'tumor').filter(({ id }) => !paired.has(id));
  return suggestPairs(
    unpaired.map(({ name }) => name),
    samplesOf(draft, 'normal').map(({ name }) => name),
  ).flatMap((pair) => {
    const [tumor, ...moreTumors] = idsOf(pair.tumor);
    const [normal, ...moreNormals] = idsOf(pair.normal);
    return tumor && normal && moreTumors.length + moreNormals.length === 0 ? [{ tumor, normal }] : [];
  });
}
