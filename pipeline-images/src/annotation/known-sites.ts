/** Looks alleles up in the installed sources of known variants, which were normalised at installation. */

import { writeFile } from 'node:fs/promises';
import { parseInfo } from '@seqpanel/crds/vcf.ts';
import type { FrozenAnnotation } from '../runner/frozen.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import { type AlleleAnnotation, alleleSpans, type Population, type RunAllele } from './alleles.ts';

type Known = Omit<AlleleAnnotation, 'hgvsG' | 'consequences'>;

const nothing = (): Known => ({
  rsid: '.',
  clinvarId: '.',
  clinvarTerms: '.',
  clinvarStars: '.',
  populations: [],
  sift: '.',
  polyphen: '.',
});

/** Stars of ClinVar by review status: https://www.ncbi.nlm.nih.gov/clinvar/docs/review_status/ */
export function clinvarStars(status: string | undefined): string {
  if (!status) return '.';
  if (status.includes('practice_guideline')) return '4';
  if (status.includes('reviewed_by_expert_panel')) return '3';
  if (status.includes('multiple_submitters') && status.includes('no_conflicts')) return '2';
  if (status.includes('criteria_provided') && !status.startsWith('no_assertion')) return '1';
  return '0';
}

/** Reads AC, AN and AF of a source in total and for each of its groups (`AF_afr` or `afr_AF`). */
export function populationsOf(source: string, info: ReadonlyMap<string, string>): Population[] {
  const groups = new Set(['']);
  for (const key of info.keys()) {
    const m = /^AF_(\w+)$/.exec(key) ?? /^(\w+)_AF$/.exec(key);
    if (m) groups.add(m[1]!);
  }
  return [...groups].flatMap((group) => {
    const get = (key: string): string =>
      info.get(group === '' ? key : `${key}_${group}`) ??
      (group === '' ? undefined : info.get(`${group}_${key}`)) ??
      '.';
    const [ac, an] = [get('AC'), get('AN')];
    const counted = Number(an) > 0 && ac !== '.' ? `${Number(ac) / Number(an)}` : '.';
    const af = get('AF') === '.' ? counted : get('AF');
    if (af === '.') return [];
    return [{ name: group === '' ? source : `${source}_${group}`, ac, an, af }];
  });
}

function take(known: Known, source: FrozenAnnotation['sources'][number], id: string, info: Map<string, string>): void {
  switch (source.kind) {
    case 'dbsnp':
      if (id !== '.') known.rsid = id.split(';')[0]!;
      break;
    case 'clinvar':
      known.clinvarId = id;
      known.clinvarTerms = (info.get('CLNSIG') ?? '.').replaceAll(',', '/').replaceAll('|', '/');
      known.clinvarStars = clinvarStars(info.get('CLNREVSTAT'));
      break;
    case 'population':
      known.populations.push(...populationsOf(source.name, info));
      if (known.rsid === '.' && /^rs\d+/.test(id)) known.rsid = id.split(';')[0]!;
      break;
    case 'prediction':
      known.sift = info.get('SIFT') ?? info.get('SIFT_score') ?? known.sift;
      known.polyphen =
        info.get('POLYPHEN') ?? info.get('PolyPhen') ?? info.get('Polyphen2_HDIV_score') ?? known.polyphen;
      break;
  }
}

/** Looks up all alleles in all sources, with one program run per source. Returns annotations by allele key. */
export async function lookUpKnown(context: TaskContext, alleles: readonly RunAllele[]): Promise<Map<string, Known>> {
  const { tools, tmp, storage, frozen } = context;
  const out = new Map(alleles.map(({ key }) => [key, nothing()]));
  const sources = frozen.annotation.sources.filter(({ kind }) => kind !== 'genes');
  if (alleles.length === 0 || sources.length === 0) return out;
  const regions = `${tmp}/alleles.bed`;
  await writeFile(
    regions,
    alleleSpans(alleles)
      .map((s) => `${s.chrom}\t${s.start - 1}\t${s.end}\n`)
      .join(''),
  );
  const byPlace = new Map(alleles.map((a) => [`${a.chrom}\t${a.pos}\t${a.ref}\t${a.alt}`, a.key]));
  for (const source of sources) {
    const format = '%CHROM\\t%POS\\t%REF\\t%ALT\\t%ID\\t%INFO\\n';
    const text = await tools.capture({
      tool: 'bcftools',
      args: ['query', '-R', regions, '-f', format, `${storage}/${source.path}`],
    });
    const seen = new Set<string>();
    for (const line of text.toString().split('\n')) {
      const [chrom, pos, ref, alt, id, info] = line.split('\t');
      const key = byPlace.get(`${chrom}\t${pos}\t${ref}\t${alt}`);
      // A source may contain an allele twice (split records). Use the first.
      if (key === undefined || seen.has(key)) continue;
      seen.add(key);
      take(out.get(key)!, source, id!, parseInfo(info ?? '.'));
    }
  }
  return out;
}
