/** Makes the files of a demonstration: genome, annotation, panel, reads and truth. All data are synthetic. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoManifest } from '@seqpanel/crds/demo-manifest.ts';
import { validatePanel } from '@seqpanel/crds/panel-rules.ts';
import { formatProblem } from '@seqpanel/crds/problem.ts';
import { designAmplicons } from './design.ts';
import { makeGenome, toFasta, toGff } from './genome.ts';
import { clinvarLike, dbsnpLike, populationLike } from './known-sites.ts';
import { DEMO_GENOME, DEMO_PANEL, makeControlFile, makePanelFile } from './panel-file.ts';
import { type DemoSample, makePeople } from './people.ts';
import { createRandom } from './random.ts';
import { makeReads } from './reads.ts';
import { byPlace } from './variants.ts';

/** Changing the seed changes every file of the demo. */
const SEED = 'SeqPanel demo 1';
const VERSION = '1';

const SOURCES = [
  { name: 'genes', kind: 'genes', path: 'genes.gff3' },
  { name: 'dbsnp', kind: 'dbsnp', path: 'dbsnp.vcf' },
  { name: 'population', kind: 'population', path: 'population.vcf' },
  { name: 'clinvar', kind: 'clinvar', path: 'clinvar.vcf' },
] as const;

/** Writes the demo to `dir` and returns its manifest. The manifest, demo.json, is written last. */
export async function makeDemo(dir: string): Promise<DemoManifest> {
  await mkdir(join(dir, 'reads'), { recursive: true });
  const put = (path: string, content: string | Buffer): Promise<void> => writeFile(join(dir, path), content);
  // Use one random source per part, so that more reads never change the genome.
  const genome = makeGenome(createRandom(`${SEED} genome`));
  const amplicons = designAmplicons(genome);
  const people = makePeople(createRandom(`${SEED} people`), genome, amplicons);
  const panel = makePanelFile(genome, amplicons, people);
  const problems = validatePanel(panel, { value: DEMO_PANEL });
  if (problems.length > 0) throw new Error(`the demo's panel is invalid: ${problems.map(formatProblem).join('; ')}`);
  await put('genome.fa', toFasta(genome));
  await put('genes.gff3', toGff(genome));
  await put('dbsnp.vcf', dbsnpLike(genome, people));
  await put('population.vcf', populationLike(genome, people));
  await put('clinvar.vcf', clinvarLike(genome, people));
  await put(`${DEMO_PANEL}.json`, `${JSON.stringify(panel, null, 1)}\n`);
  await put(`${DEMO_PANEL}.txt`, makeControlFile(amplicons, people));
  for (const [i, sample] of people.samples.entries()) {
    const { depth, planted, name } = sample;
    const random = createRandom(`${SEED} reads ${name}`);
    const reads = makeReads(random, genome, amplicons, { depth, planted, flowcell: `DEMO${i + 1}` });
    const [r1, r2] = readFiles(sample, i);
    await put(r1, reads.r1);
    await put(r2, reads.r2);
  }
  await put('truth.json', `${JSON.stringify(truthOf(people.samples), null, 1)}\n`);
  const manifest: DemoManifest = {
    schema_version: 1,
    genome: {
      displayName: 'Demo genome (synthetic)',
      value: DEMO_GENOME,
      fasta: 'genome.fa',
      annotation: SOURCES.map((source) => ({ ...source, version: VERSION })),
    },
    panel: {
      displayName: panel.displayName,
      value: DEMO_PANEL,
      file: `${DEMO_PANEL}.json`,
      control: `${DEMO_PANEL}.txt`,
    },
    samples: people.samples.map((sample, i) => {
      const [r1, r2] = readFiles(sample, i);
      return {
        name: sample.name,
        libraryId: `LIB-${sample.name}`,
        qcType: sample.qcType,
        role: sample.role,
        ...(sample.controlMaterial ? { controlMaterial: sample.controlMaterial } : {}),
        ...(sample.tumorContent ? { tumorContent: sample.tumorContent } : {}),
        files: [
          { path: r1, read: 'R1' as const, lane: 'L001' },
          { path: r2, read: 'R2' as const, lane: 'L001' },
        ],
      };
    }),
    pairs: [{ name: 'pair1', tumor: 'tumor1', normal: 'normal1' }],
    truth: 'truth.json',
  };
  await put('demo.json', `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}

const readFiles = ({ name }: DemoSample, i: number): [string, string] => [
  `reads/${name}_S${i + 1}_L001_R1_001.fastq.gz`,
  `reads/${name}_S${i + 1}_L001_R2_001.fastq.gz`,
];

function truthOf(samples: readonly DemoSample[]) {
  return Object.fromEntries(
    samples.map(({ name, planted }) => [
      name,
      planted.toSorted((a, b) => byPlace(a.variant, b.variant)).map(({ variant, vaf }) => ({ ...variant, vaf })),
    ]),
  );
}
