import { expect, test } from '@jest/globals';
import { importPanel } from './panel-import.ts';
import { validatePanel } from './panel-rules.ts';

const options = {
  value: 'tp53',
  displayName: 'TP53',
  genome: { value: 'b37', contigs: [{ name: '17', length: 81_195_210, aliases: ['chr17'] }] },
};
const first = (design: Parameters<typeof importPanel>[0]) => importPanel(design, options).panel.amplicons[0];

test('a BEDPE of primers gives amplicons with inserts, 1-based', () => {
  expect(first({ bedpe: '17\t7573976\t7574001\t17\t7574120\t7574147\tTP53_1.tile_1\t171\t+\t-\n' })).toEqual({
    name: 'TP53_1.tile_1',
    chrom: '17',
    start: 7573977,
    end: 7574147,
    insert: { start: 7574002, end: 7574120 },
    leftPrimer: { start: 7573977, end: 7574001 },
    rightPrimer: { start: 7574121, end: 7574147 },
    gene: 'TP53',
  });
});

test('an amplicon BED and an insert BED are joined by name and use the genome’s contig names', () => {
  const made = first({ bed: 'track name=x\nchr17\t100\t350\tT_1\n', insertBed: 'chr17\t120\t330\tT_1\r\n' });
  expect(made).toMatchObject({ chrom: '17', start: 101, end: 350, insert: { start: 121, end: 330 } });
});

test('a BED alone gives amplicons without primers', () => {
  expect(first({ bed: '17 100 350\n' })).toEqual({
    name: '17_101',
    chrom: '17',
    start: 101,
    end: 350,
    insert: { start: 101, end: 350 },
  });
});

test('an imported panel is a valid panel file, and repeated names are numbered', () => {
  const { panel, problems } = importPanel({ bed: '17\t100\t350\tTP53\n17\t400\t500\tTP53\n' }, options);
  expect(problems).toEqual([]);
  expect(panel.amplicons.map((a) => a.name)).toEqual(['TP53', 'TP53_2']);
  expect(validatePanel(panel, { genomeContigs: options.genome.contigs, value: 'tp53' })).toEqual([]);
});

test('invalid lines and contigs missing in the genome are reported', () => {
  const { problems } = importPanel({ bed: '17\t100\tx\n18\t1\t5\n', bedpe: '17\t1\t9\t17\t8\t20\tp\n' }, options);
  expect(problems.map((p) => `${p.path}: ${p.message}`)).toEqual([
    'BEDPE line 1: the two primers leave no insert between them',
    'BED line 1: start and end must be whole numbers, start smaller than end',
    'contig: 18 is not in the genome b37',
  ]);
});
