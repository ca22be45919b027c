/** The demo's panel file and control file. */

import type { Amplicon, PanelFile } from '@seqpanel/crds/panel.ts';
import { SHIPPED_PARAMETERS } from '@seqpanel/crds/parameters.ts';
import { codingPart, NOT_DESIGNED } from './design.ts';
import type { DemoGenome } from './genome.ts';
import { CONTROL_MATERIAL, type DemoPeople } from './people.ts';

export const DEMO_GENOME = 'demo';
export const DEMO_PANEL = 'demo-panel';

const digits = (n: number): string => String(n).padStart(2, '0');

/** Makes the panel file. The rules for panel files check it like any other. */
export function makePanelFile(genome: DemoGenome, amplicons: Amplicon[], people: DemoPeople): PanelFile {
  const used = new Set(amplicons.map((a) => a.chrom));
  const gene = genome.genes.find((g) => g.name === NOT_DESIGNED.gene)!;
  const left = codingPart(gene, NOT_DESIGNED.exon - 1)!;
  const hotspots = [...people.somatic, ...people.control.map((c) => c.variant)];
  return {
    schema_version: 1,
    value: DEMO_PANEL,
    displayName: 'Demo panel (synthetic)',
    version: '1',
    synthetic: true,
    genome: {
      value: DEMO_GENOME,
      contigs: genome.contigs
        .filter((c) => used.has(c.name))
        .map((c) => ({ name: c.name, length: c.bases.length, md5: c.md5 })),
    },
    chemistry: 'amplicon',
    analysisTypes: ['germline', 'tumor-only', 'tumor-normal'],
    bamAllowed: true,
    amplicons,
    paralogs: genome.paralogs.map(({ name, genes, sites }) => ({
      name,
      loci: genes.map((n) => {
        const { chrom, start, end } = genome.genes.find((g) => g.name === n)!;
        return { name: n, chrom, start, end };
      }),
      sites: sites
        .filter(({ positions }) =>
          positions.every((pos, i) =>
            amplicons.some((a) => a.gene === genes[i] && pos >= a.insert.start && pos <= a.insert.end),
          ),
        )
        .map(({ positions, bases }, i) => ({ name: `${name}_${digits(i + 1)}`, positions, bases })),
      sharedAmplicons: amplicons.filter((a) => genes.includes(a.gene!)).map((a) => a.name),
    })),
    hotspots: hotspots.map((v, i) => ({
      name: `${v.gene}_H${digits(i + 1)}`,
      chrom: v.chrom,
      pos: v.pos,
      ref: v.ref,
      alt: v.alt,
      lod: 0.05,
    })),
    transcripts: Object.fromEntries(genome.genes.map((g) => [g.name, g.transcript])),
    notDesigned: [
      { chrom: gene.chrom, ...left, gene: gene.name, exon: `${NOT_DESIGNED.exon}`, reason: 'left out of the demo' },
    ],
    cnvGenes: genome.genes.map((g) => g.name).filter((name) => name.startsWith('DEMO')),
    identitySnps: people.common.map(({ variant: v }, i) => ({
      name: `ID${digits(i + 1)}`,
      chrom: v.chrom,
      pos: v.pos,
      ref: v.ref,
      alt: v.alt,
    })),
    ntc: { maxFragmentsPerAmplicon: 10 },
    parameters: SHIPPED_PARAMETERS.map((p) => ({ ...p })),
    control: `${DEMO_PANEL}.txt`,
  };
}

/** Makes the control file: the expected calls of the control material, and two copies of everything. */
export function makeControlFile(amplicons: readonly Amplicon[], people: DemoPeople): string {
  const expected = people.control.map(({ variant: v, vaf }) =>
    [CONTROL_MATERIAL, v.chrom, v.pos, v.ref, v.alt, vaf].join('\t'),
  );
  return [
    '# Control file of the demo panel: synthetic',
    '[expected]',
    'material\tchrom\tpos\tref\talt\tvaf',
    ...expected,
    '[amplicons]',
    'amplicon\tcopies',
    ...amplicons.map((a) => `${a.name}\t2`),
    '',
  ].join('\n');
}
