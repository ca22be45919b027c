import { type AlleleCount, type Counts, merge, newAllele, total } from './counts.ts';
import { type Change, normalise } from './normalise.ts';
import { BASE_CODE, BASES, type Target, windowBases } from './target.ts';

/**
 * Changes within 2 bp on the same fragments are one change when at least this share of the fragments of the rarest one
 * carries the others too. Otherwise they coincide by chance and each is counted alone.
 */
export const TOGETHER = 0.6;

/** A normalised allele on one amplicon. */
export interface AmpliconAllele extends Change {
  /** The single changes that the allele consists of, usually one. */
  atoms: Change[];
  count: AlleleCount;
}

interface Entry {
  atoms: Change[];
  count: AlleleCount;
}

const textOf = (atoms: readonly Change[]): string => atoms.map((a) => `${a.pos}${a.ref}>${a.alt}`).join(';');

/** Returns the alleles of one amplicon in order of position. Splits changes that coincide by chance. */
export function allelesOf(counts: Counts, target: Target): AmpliconAllele[] {
  const single = new Map<string, Entry>();
  const joined = new Map<string, Entry>();
  const add = adder(single, joined);
  for (const [key, count] of singlesOf(counts, target)) add([key], count);
  for (const { atoms, count } of counts.clusters[target.index]!.values()) {
    const shifted = atoms.map((atom) => normalise(atom, target.window, target.windowStart));
    // Indels of one cluster may share a spelling only as a whole, so keep the order within each cluster.
    add(shifted, count);
  }
  takeApart(single, joined);
  giveBack(single, joined);
  const alleles = [...single.values(), ...joined.values()]
    .filter(({ count }) => total(count) > 0)
    .map(({ atoms, count }): AmpliconAllele => ({ ...compose(atoms, target), atoms, count }));
  return unify(alleles);
}

/** Adds fragments to the entry of their changes, alone or together. */
function adder(single: Map<string, Entry>, joined: Map<string, Entry>) {
  return (atoms: readonly Change[], count: AlleleCount): void => {
    const group = atoms.length === 1 ? single : joined;
    const key = textOf(atoms);
    const entry = group.get(key);
    if (entry) merge(entry.count, count);
    else {
      const own = newAllele();
      merge(own, count);
      group.set(key, { atoms: [...atoms], count: own });
    }
  };
}

function* singlesOf(counts: Counts, target: Target): Generator<[Change, AlleleCount]> {
  for (let i = 0; i < target.codes.length; i++)
    for (let code = 0; code < 4; code++) {
      const count = counts.snvs.get((target.offset + i) * 4 + code);
      if (!count) continue;
      yield [{ pos: target.insertStart + i, ref: BASES[target.codes[i]!]!, alt: BASES[code]! }, count];
    }
}

/** Starts with the longest cluster. Removes its rarest change when that is mostly seen without the others. */
function takeApart(single: Map<string, Entry>, joined: Map<string, Entry>): void {
  const totals = new Map<string, number>();
  for (const [key, { count }] of single) totals.set(key, (totals.get(key) ?? 0) + total(count));
  for (const { atoms, count } of joined.values())
    for (const atom of atoms) {
      const key = textOf([atom]);
      totals.set(key, (totals.get(key) ?? 0) + total(count));
    }
  const add = adder(single, joined);
  for (;;) {
    const open = [...joined]
      .map(([key, entry]) => ({ key, entry, rarest: rarestOf(entry.atoms, totals) }))
      .filter(({ entry, rarest }) => total(entry.count) < TOGETHER * (totals.get(textOf([rarest])) ?? 0))
      .sort((a, b) => b.entry.atoms.length - a.entry.atoms.length || (a.key < b.key ? -1 : 1));
    if (open.length === 0) return;
    const most = open[0]!.entry.atoms.length;
    for (const { key, entry, rarest } of open) {
      if (entry.atoms.length < most) break;
      joined.delete(key);
      add([rarest], entry.count);
      for (const part of neighbours(entry.atoms.filter((atom) => atom !== rarest))) add(part, entry.count);
    }
  }
}

function rarestOf(atoms: readonly Change[], totals: ReadonlyMap<string, number>): Change {
  let rarest = atoms[0]!;
  for (const atom of atoms) if ((totals.get(textOf([atom])) ?? 0) < (totals.get(textOf([rarest])) ?? 0)) rarest = atom;
  return rarest;
}

/** Splits a list of changes where more than one unchanged base separates two. */
function neighbours(atoms: readonly Change[]): Change[][] {
  const parts: Change[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const atom of atoms) {
    const anchored = atom.ref.length !== atom.alt.length;
    const first = atom.pos + (anchored ? 1 : 0);
    if (first - end <= 2) parts.at(-1)!.push(atom);
    else parts.push([atom]);
    end = Math.max(end, atom.pos + atom.ref.length - 1);
  }
  return parts;
}

/** Moves fragments with a change beside an unknown base to the longer change when that is the common one. */
function giveBack(single: Map<string, Entry>, joined: Map<string, Entry>): void {
  for (const [key, entry] of single) {
    const { count } = entry;
    const partial = count.partialForward + count.partialReverse;
    if (partial === 0) continue;
    let best: Entry | undefined;
    for (const other of joined.values())
      if (other.atoms.some((atom) => textOf([atom]) === key) && (!best || total(other.count) > total(best.count)))
        best = other;
    if (!best || total(best.count) <= total(count) - partial) continue;
    const share = partial / total(count);
    best.count.forward += count.partialForward;
    best.count.reverse += count.partialReverse;
    best.count.baseQuality += count.baseQuality * share;
    best.count.mapQuality += count.mapQuality * share;
    count.forward -= count.partialForward;
    count.reverse -= count.partialReverse;
    count.baseQuality -= count.baseQuality * share;
    count.mapQuality -= count.mapQuality * share;
    count.partialForward = 0;
    count.partialReverse = 0;
  }
}

/** Returns one REF and ALT for neighbouring changes. */
export function compose(atoms: readonly Change[], target: Target): Change {
  const first = atoms[0]!;
  if (atoms.length === 1) return first;
  let ref = '';
  let alt = '';
  let at = first.pos;
  for (const atom of atoms) {
    let { pos, ref: from, alt: to } = atom;
    // Skip an anchor that the previous change has replaced.
    while (pos < at && from.length > 0 && to.length > 0 && from[0] === to[0]) {
      from = from.slice(1);
      to = to.slice(1);
      pos++;
    }
    if (pos < at) continue;
    const between = windowBases(target, at, pos - 1);
    ref += between + from;
    alt += between + to;
    at = pos + from.length;
  }
  return normalise({ pos: first.pos, ref, alt }, target.window, target.windowStart);
}

/** Joins two spellings of one allele. */
function unify(alleles: readonly AmpliconAllele[]): AmpliconAllele[] {
  const byText = new Map<string, AmpliconAllele>();
  for (const allele of alleles) {
    if (allele.ref === allele.alt) continue;
    const key = textOf([allele]);
    const known = byText.get(key);
    if (known) merge(known.count, allele.count);
    else byText.set(key, allele);
  }
  return [...byText.values()].sort(
    (a, b) => a.pos - b.pos || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : a.alt < b.alt ? -1 : 1),
  );
}

/** Returns the code of a base letter, 0-3, or 4 for any other letter. */
export const codeOf = (base: string): number => BASE_CODE[base.charCodeAt(0)] ?? 4;
