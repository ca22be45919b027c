import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCalledTask, readRows, smallPanel, type WrittenCall } from '../support/called-task.ts';
import { makeTwin } from '../support/hgvs-twin.ts';
import { installGenome, testCache, testData } from '../support/pipeline-task.ts';

/** Runs the annotation step on calls. Returns the first row of consequences.tsv.gz of each. */
async function annotate(storage: string, genome: string, calls: readonly WrittenCall[], transcripts = {}) {
  const task = await makeCalledTask(storage, 'hgvs', smallPanel(storage, genome, { transcripts }), calls);
  const { exit, output } = await task.run('annotation');
  if (exit !== 0) throw new Error(output);
  const consequences = await readRows(`${task.folder}/annotation/consequences.tsv.gz`);
  const alleles = await readRows(`${task.folder}/annotation/alleles.tsv.gz`);
  return calls.map(
    (call): Record<string, string | undefined> => ({
      ...consequences.find((row) => row['allele_key'] === task.keyOf(call)),
      hgvs_g: alleles.find((row) => row['allele_key'] === task.keyOf(call))?.['hgvs_g'],
    }),
  );
}

describe('on a synthetic twin of the genes', () => {
  const twin = makeTwin();
  let storage: string;
  beforeAll(async () => {
    storage = await mkdtemp(join(tmpdir(), 'seqpanel-hgvs-'));
    await writeFile(join(storage, 'twin.fa'), twin.fasta);
    await writeFile(join(storage, 'twin.gff3'), twin.gff);
    await installGenome(storage, 'twin', join(storage, 'twin.fa'), [
      { name: 'genes', kind: 'genes', file: join(storage, 'twin.gff3') },
    ]);
  });
  afterAll(() => rm(storage, { recursive: true, force: true }));

  const bases = (chrom: string, pos: number, length: number): string =>
    twin.contigs.find((c) => c.name === chrom)!.bases.slice(pos - 1, pos - 1 + length);

  test('synonymous, intronic and splice changes are distinguished', async () => {
    // The intron follows coding base 601 of EGFR, on the forward strand.
    const donor = twin.at('EGFR', 601) + 1;
    const rows = await annotate(storage, 'twin', [
      { chrom: 'twin2', pos: donor, ref: 'G', alt: 'A' },
      {
        chrom: 'twin2',
        pos: donor + 100,
        ref: bases('twin2', donor + 100, 1),
        alt: bases('twin2', donor + 100, 1) === 'A' ? 'C' : 'A',
      },
      { chrom: 'twin2', pos: twin.at('EGFR', 2238), ref: 'A', alt: 'G' },
    ]);
    expect(rows.map((row) => [row['consequence'], row['impact'], row['intron']])).toEqual([
      ['splice_donor_variant', 'HIGH', '1/1'],
      ['intron_variant', 'MODIFIER', '1/1'],
      ['synonymous_variant', 'LOW', '.'],
    ]);
    expect(rows[0]!['hgvs_c']).toBe('c.601+1G>A');
    expect(rows[2]!['hgvs_p']).toBe('p.Glu746=');
  });
});

test('a mitochondrial gene is translated by its own code: TGA is tryptophan', async () => {
  const storage = await mkdtemp(join(tmpdir(), 'seqpanel-mt-'));
  try {
    const flank = 'ACGTTGCATCAGGATTCACG'.repeat(20);
    await writeFile(join(storage, 'mt.fa'), `>chrM\n${flank}ATGTGAGCCAAATAA${flank}\n`);
    const row = (type: string, attributes: string): string => `chrM\tx\t${type}\t401\t415\t.\t+\t0\t${attributes}\n`;
    const gff =
      row('gene', 'ID=g;Name=MTG') +
      row('mRNA', 'ID=MTG.1;Parent=g') +
      row('exon', 'Parent=MTG.1') +
      row('CDS', 'ID=c;Parent=MTG.1');
    await writeFile(join(storage, 'mt.gff3'), `##gff-version 3\n${gff}`);
    await installGenome(storage, 'mt', join(storage, 'mt.fa'), [
      { name: 'genes', kind: 'genes', file: join(storage, 'mt.gff3') },
    ]);
    const rows = await annotate(storage, 'mt', [
      { chrom: 'chrM', pos: 406, ref: 'A', alt: 'G' },
      { chrom: 'chrM', pos: 404, ref: 'T', alt: 'C' },
    ]);
    expect(rows.map((r) => [r['hgvs_p'], r['consequence']])).toEqual([
      ['p.Trp2=', 'synonymous_variant'],
      ['p.Trp2Arg', 'missense_variant'],
    ]);
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
});

const data = testData();
(data ? describe : describe.skip)('on hg19 with RefSeq models (skipped where the test data is absent)', () => {
  const storage = join(testCache(), 'annotation');
  beforeAll(async () => {
    await mkdir(storage, { recursive: true });
    await installGenome(storage, 'hg19mini', `${data}/hg19_panel_ref/hg19mini.fa.gz`, [
      { name: 'genes', kind: 'genes', file: `${data}/annotation/TP53_BRCA2.hg19.gff3` },
    ]);
  }, 120_000);

  test('BRCA2 6174delT is a frameshift at Ser1982 and TP53 R175H a missense change', async () => {
    const rows = await annotate(
      storage,
      'hg19mini',
      [
        { chrom: 'chr13', pos: 32914437, ref: 'GT', alt: 'G' },
        { chrom: 'chr17', pos: 7578406, ref: 'C', alt: 'T' },
      ],
      { TP53: 'NM_000546.5' },
    );
    expect(rows).toMatchObject([
      {
        gene: 'BRCA2',
        transcript: 'NM_000059.3',
        hgvs_c: 'c.5946del',
        hgvs_p: 'p.Ser1982ArgfsTer22',
        consequence: 'frameshift_variant',
        exon: '11/27',
      },
      {
        gene: 'TP53',
        transcript: 'NM_000546.5',
        rank: 'preferred',
        hgvs_c: 'c.524G>A',
        hgvs_p: 'p.Arg175His',
        exon: '5/11',
      },
    ]);
    expect(rows.map((row) => row['hgvs_g'])).toEqual(['chr13:g.32914438del', 'chr17:g.7578406C>T']);
  });
});
