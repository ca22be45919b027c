import type { TaskPair } from '@seqpanel/crds/kinds.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import { contactOf } from './neighbours.ts';
import type { RunSample, SampleAllele } from './run-alleles.ts';

/** From this frequency on a single-base change counts as inherited. */
const INHERITED = 0.3;
const PRESENT = 0.1;
const HOMOZYGOUS = 0.85;
/** Fewest fragments for a site to be used. */
const SITE_DEPTH = 30;
const PAIR_SITES = 5;
const DUPLICATE_SITES = 8;
const MATCH = 0.9;
const MISMATCH = 0.7;
const DUPLICATE = 0.95;
const CONTAMINATION_SITES = 10;
const CONTAMINATION_WARN = 0.03;

/** Returns the fragments of a sample over a position. */
export type DepthAt = (sample: string, chrom: string, pos: number) => number;

/** A sample prepared for comparison once, because every sample is compared with every other. */
const known = new WeakMap<RunSample, SampleAllele[]>();
function inherited(sample: RunSample): SampleAllele[] {
  let found = known.get(sample);
  if (!found) {
    found = [...sample.alleles.values()].filter((a) => a.type === 'SNV' && a.vaf >= INHERITED && a.depth >= SITE_DEPTH);
    known.set(sample, found);
  }
  return found;
}

/** A sample at the sites where any sample of the run has an inherited change, by site number. */
interface Profile {
  own: readonly number[];
  present: Uint8Array;
  covered: Uint8Array;
}

/** Numbers the sites once per run, because hundreds of samples are compared in pairs. */
const built = new WeakMap<readonly RunSample[], ReadonlyMap<RunSample, Profile>>();
function profilesOf(samples: readonly RunSample[], depthAt: DepthAt): ReadonlyMap<RunSample, Profile> {
  const made = built.get(samples);
  if (made) return made;
  const sites = new Map<string, { number: number; allele: SampleAllele }>();
  for (const sample of samples)
    for (const allele of inherited(sample))
      if (!sites.has(allele.key)) sites.set(allele.key, { number: sites.size, allele });
  const profiles = new Map<RunSample, Profile>();
  for (const sample of samples) {
    const present = new Uint8Array(sites.size);
    const covered = new Uint8Array(sites.size);
    for (const [key, { number, allele }] of sites) {
      if ((sample.alleles.get(key)?.vaf ?? 0) >= PRESENT) present[number] = 1;
      if (depthAt(sample.row.sample, allele.chrom, allele.pos) >= SITE_DEPTH) covered[number] = 1;
    }
    profiles.set(sample, { own: inherited(sample).map(({ key }) => sites.get(key)!.number), present, covered });
  }
  built.set(samples, profiles);
  return profiles;
}

/** Returns the share of one sample's inherited changes that the other carries, over sites covered in both. */
function carried({ own }: Profile, { present, covered }: Profile): { sites: number; shared: number } {
  let [sites, shared] = [0, 0];
  for (const site of own) {
    if (covered[site] === 0) continue;
    sites++;
    shared += present[site]!;
  }
  return { sites, shared };
}

/** Returns the lines of pairs.tsv. A pair with a missing sample is `pair_incomplete`. */
export function pairLines(pairs: readonly TaskPair[], samples: readonly RunSample[], depthAt: DepthAt): string[] {
  const byName = new Map(samples.map((sample) => [sample.row.sample, sample]));
  const profiles = profilesOf(samples, depthAt);
  return pairs.map(({ name, tumor, normal }) => {
    const [t, n] = [byName.get(tumor), byName.get(normal)];
    if (!t || !n) return [name, tumor, normal, '.', '.', 'pair_incomplete'].join('\t');
    // Loss of heterozygosity may hide a site in the tumor, so compare what the normal carries with what the tumor shows.
    const { sites, shared } = carried(profiles.get(n)!, profiles.get(t)!);
    const concordance = sites === 0 ? undefined : shared / sites;
    let verdict = '.';
    if (concordance !== undefined && sites >= PAIR_SITES)
      verdict = concordance >= MATCH ? 'match' : concordance < MISMATCH ? 'mismatch' : '.';
    return [name, tumor, normal, sites, concordance?.toFixed(4) ?? '.', verdict].join('\t');
  });
}

/** Returns the other samples of the run with the same inherited changes, except the pair of this one. */
export function duplicatesOf(
  sample: RunSample,
  samples: readonly RunSample[],
  pairs: readonly TaskPair[],
  depthAt: DepthAt,
): string[] {
  const profiles = profilesOf(samples, depthAt);
  const own = profiles.get(sample)!;
  return samples
    .filter((other) => {
      if (other === sample || other.row.qcType === 'NTC') return false;
      const names = [sample.row.sample, other.row.sample];
      if (pairs.some((pair) => names.includes(pair.tumor) && names.includes(pair.normal))) return false;
      const their = profiles.get(other)!;
      const [there, back] = [carried(own, their), carried(their, own)];
      const sites = there.sites + back.sites;
      return sites >= 2 * DUPLICATE_SITES && (there.shared + back.shared) / sites >= DUPLICATE;
    })
    .map(({ row }) => row.sample);
}

/** Returns the mean share of REF at homozygous sites, where reads of another person show. Undefined with too few sites. */
export function contamination(sample: RunSample): { share: number | undefined; sites: number } {
  const sites = inherited(sample).filter(({ vaf }) => vaf >= HOMOZYGOUS);
  if (sites.length < CONTAMINATION_SITES) return { share: undefined, sites: sites.length };
  return { share: sites.reduce((sum, { vaf }) => sum + 1 - vaf, 0) / sites.length, sites: sites.length };
}

export interface NtcResult {
  fragments: number;
  over: string[];
}

/** Returns the lines of samples_check.tsv. `ntc`: results of the NTC samples by name. */
export function checkLines(
  samples: readonly RunSample[],
  pairs: readonly TaskPair[],
  depthAt: DepthAt,
  ntc: ReadonlyMap<string, NtcResult>,
): string[] {
  return samples.map((sample) => {
    const name = sample.row.sample;
    const control = ntc.get(name);
    if (control)
      return [
        name,
        '.',
        '.',
        '.',
        '.',
        control.fragments,
        control.over.join(';') || '.',
        control.over.length > 0 ? 'fail' : 'pass',
      ].join('\t');
    const { share, sites } = contamination(sample);
    const twins = duplicatesOf(sample, samples, pairs, depthAt);
    const bad = (share ?? 0) > CONTAMINATION_WARN || twins.length > 0;
    const isAssessed = share !== undefined || sites > 0;
    return [
      name,
      '.',
      share?.toFixed(4) ?? '.',
      sites,
      twins.join(';') || '.',
      '.',
      '.',
      bad ? 'warn' : isAssessed ? 'pass' : '.',
    ].join('\t');
  });
}

/** Fewest changes of one sample, that another may show traces of, for a verdict. */
const CARRYOVER_POSSIBLE = 5;
const CARRYOVER_SHARED = 3;

/** Returns the lines of carryover.tsv: pairs of samples where one shows traces of the other. */
export function carryoverLines(samples: readonly RunSample[], depthAt: DepthAt): string[] {
  const lines: string[] = [];
  for (const from of samples) {
    if (from.row.qcType === 'NTC') continue;
    const own = inherited(from);
    for (const to of samples) {
      if (to === from) continue;
      const possible = own.filter((allele) => {
        if ((to.alleles.get(allele.key)?.vaf ?? 0) >= PRESENT && to.row.qcType !== 'NTC') return false;
        return depthAt(to.row.sample, allele.chrom, allele.pos) >= (to.row.qcType === 'NTC' ? 1 : SITE_DEPTH);
      });
      const ratios = possible.flatMap((allele) => {
        const seen = to.alleles.get(allele.key);
        return seen && seen.altFragments >= 2 ? [seen.vaf / allele.vaf] : [];
      });
      if (ratios.length === 0) continue;
      const warn =
        possible.length >= CARRYOVER_POSSIBLE &&
        ratios.length >= CARRYOVER_SHARED &&
        2 * ratios.length >= possible.length;
      const verdict = possible.length < CARRYOVER_POSSIBLE ? '.' : warn ? 'warn' : 'pass';
      lines.push(
        [
          from.row.sample,
          to.row.sample,
          contactOf(from.row, to.row) ?? 'any',
          ratios.length,
          possible.length,
          (median(ratios) ?? 0).toFixed(4),
          verdict,
        ].join('\t'),
      );
    }
  }
  return lines;
}
