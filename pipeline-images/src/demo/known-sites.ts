/** Synthetic known-variant files of the demo in the formats of dbSNP, a population database and ClinVar. */

import type { DemoGenome } from './genome.ts';
import type { DemoPeople } from './people.ts';
import { byPlace, type Variant } from './variants.ts';

/** Number of chromosomes in the synthetic population, in total and by group. */
const CHROMOSOMES = { total: 20_000, north: 12_000, south: 8_000 } as const;

function vcf(
  genome: DemoGenome,
  info: readonly string[],
  rows: { variant: Variant; id: string; info: string }[],
): string {
  const header = [
    '##fileformat=VCFv4.2',
    '##source=SeqPanel demo: synthetic, nothing in it is known of any real genome',
    ...genome.contigs.map((c) => `##contig=<ID=${c.name},length=${c.bases.length}>`),
    ...info.map((line) => `##INFO=<${line}>`),
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
  ];
  const lines = rows
    .toSorted((a, b) => byPlace(a.variant, b.variant))
    .map(({ variant: v, id, info: text }) => [v.chrom, v.pos, id, v.ref, v.alt, '.', '.', text].join('\t'));
  return `${[...header, ...lines].join('\n')}\n`;
}

/** IDs of all common variants and of every second rare one. */
export function dbsnpLike(genome: DemoGenome, people: DemoPeople): string {
  const known = [...people.common.map((c) => c.variant), ...people.rare.filter((_, i) => i % 2 === 0)];
  const rows = known.toSorted(byPlace).map((variant, i) => ({ variant, id: `rsSYN${1000 + i}`, info: '.' }));
  return vcf(genome, [], rows);
}

/** Counts and frequencies of the common variants, in total and by group. */
export function populationLike(genome: DemoGenome, people: DemoPeople): string {
  const groups = ['north', 'south'] as const;
  const rows = people.common.map(({ variant, frequency }) => {
    const counts = { north: 0, south: 0 };
    counts.north = Math.round(CHROMOSOMES.north * frequency);
    counts.south = Math.round(CHROMOSOMES.south * frequency * 0.9);
    const one = (suffix: string, ac: number, an: number): string =>
      `AC${suffix}=${ac};AN${suffix}=${an};AF${suffix}=${(ac / an).toFixed(5)}`;
    const text = [
      one('', counts.north + counts.south, CHROMOSOMES.total),
      ...groups.map((group) => one(`_${group}`, counts[group], CHROMOSOMES[group])),
    ].join(';');
    return { variant, id: '.', info: text };
  });
  const fields = ['', '_north', '_south'].flatMap((suffix) => [
    `ID=AC${suffix},Number=A,Type=Integer,Description="Alleles counted"`,
    `ID=AN${suffix},Number=1,Type=Integer,Description="Chromosomes looked at"`,
    `ID=AF${suffix},Number=A,Type=Float,Description="Frequency"`,
  ]);
  return vcf(genome, fields, rows);
}

/** Synthetic significance of somatic, rare and control variants. */
export function clinvarLike(genome: DemoGenome, people: DemoPeople): string {
  const terms = [
    ['Pathogenic', 'reviewed_by_expert_panel'],
    ['Likely_pathogenic', 'criteria_provided,_multiple_submitters,_no_conflicts'],
    ['Uncertain_significance', 'criteria_provided,_single_submitter'],
    ['Benign', 'no_assertion_criteria_provided'],
  ] as const;
  const known = [...people.somatic, ...people.rare, ...people.control.map((c) => c.variant)];
  const rows = known.map((variant, i) => {
    const [significance, review] = terms[i % terms.length]!;
    return { variant, id: `${9_000_000 + i}`, info: `CLNSIG=${significance};CLNREVSTAT=${review}` };
  });
  return vcf(
    genome,
    [
      'ID=CLNSIG,Number=.,Type=String,Description="Clinical significance (made up)"',
      'ID=CLNREVSTAT,Number=.,Type=String,Description="Review status (made up)"',
    ],
    rows,
  );
}
