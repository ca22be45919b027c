import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Amplicon } from '@seqpanel/crds/panel.ts';
import { placeIn } from '../storage/inside-storage.ts';
import { geneRegions, geneTrack } from './gene-track.ts';

const amplicon = (chrom: string, start: number, end: number): Amplicon => ({
  name: `${chrom}${start}`,
  chrom,
  start,
  end,
  insert: { start, end },
});

test('neighbouring amplicons form one region, distant ones two', () => {
  const regions = geneRegions({
    amplicons: [amplicon('1', 100_000, 100_200), amplicon('1', 150_000, 150_200), amplicon('1', 900_000, 900_200)],
  });
  expect(regions.get('1')).toEqual([
    { start: 50_000, end: 200_200 },
    { start: 850_000, end: 950_200 },
  ]);
});

test('genes around the amplicons are GFF3 with exons and CDS, and others are omitted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-genes-'));
  const genes = placeIn(folder, 'transcripts.tsv.gz');
  const head = 'chrom\tstart\tend\ttranscript\tgene\tstrand\tbiotype\tmane\tcds_length\texons\tcds';
  const rows = [
    '1\t100000\t100500\tNM_1.1\tG1\t-\tprotein_coding\t1\t90\t100000-100100;100400-100500\t100020-100100',
    '2\t1\t9\tNM_2.1\tG2\t+\tx\t0\t0\t1-9\t.',
  ];
  writeFileSync(join(folder, genes.path), gzipSync([`#${head}`, ...rows].join('\n')));
  let text = '';
  for await (const part of geneTrack(genes, geneRegions({ amplicons: [amplicon('1', 100_000, 100_200)] })))
    text += part;
  rmSync(folder, { recursive: true });
  expect(
    text
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('\t')
          .slice(0, 5)
          .concat(line.split('\t')[8] ?? ''),
      ),
  ).toEqual([
    ['##gff-version 3', ''],
    ['1', 'seqpanel', 'mRNA', '100000', '100500', 'ID=NM_1.1;Name=G1 NM_1.1;gene=G1'],
    ['1', 'seqpanel', 'exon', '100000', '100100', 'Parent=NM_1.1'],
    ['1', 'seqpanel', 'exon', '100400', '100500', 'Parent=NM_1.1'],
    ['1', 'seqpanel', 'CDS', '100020', '100100', 'Parent=NM_1.1'],
  ]);
});
