import { groupFiles, parseFileName } from './sample-grouping.ts';

describe('grouping of sample data files', () => {
  test.each([
    ['S1_S12_L001_R1_001.fastq.gz', 'S1', 'R1', 'L001'],
    ['S1_S12_R2_001.fastq.gz', 'S1', 'R2', undefined],
    ['S1_R1.fq', 'S1', 'R1', undefined],
    ['TP53_2.fastq.gz', 'TP53', 'R2', undefined],
    ['R1_R1.fastq', 'R1', 'R1', undefined],
    ['my-lib_L2_2.fq.gz', 'my-lib', 'R2', 'L002'],
    ['tiny_tiny_n_L004_R1_xxx.fastq.gz', 'tiny_tiny_n', 'R1', 'L004'],
    ['manta_C09D_T_111207.8.ACCAACTG_R1_xxx.fastq.gz', 'manta_C09D_T_111207', 'R1', 'L008'],
    ['single.fastq.gz', 'single', 'R1', undefined],
    ['S3.bam', 'S3', 'bam', undefined],
    ['S3.bam.bai', 'S3', 'bai', undefined],
    ['S3.bai', 'S3', 'bai', undefined],
  ])('[LAUNCH-12] %s is of sample %s', (name, sample, read, lane) => {
    const found = parseFileName(name)!;
    expect([found.sample, found.read, found.lane]).toEqual([sample, read, lane]);
  });

  test('a sample sheet and a text file belong to no sample', () => {
    expect(groupFiles(['sheet.csv', 'a.txt'])).toEqual([]);
  });

  test('lanes of one sample are grouped in order, and sample names sort by number', () => {
    const groups = groupFiles([
      'S10_L001_R1_001.fastq.gz',
      'S10_L001_R2_001.fastq.gz',
      'S2_L002_R2_001.fastq.gz',
      'S2_L002_R1_001.fastq.gz',
      'S2_L001_R1_001.fastq.gz',
      'S2_L001_R2_001.fastq.gz',
    ]);
    expect(groups.map(({ sample, files }) => [sample, files.map(({ lane, read }) => `${lane}/${read}`)])).toEqual([
      ['S2', ['L001/R1', 'L001/R2', 'L002/R1', 'L002/R2']],
      ['S10', ['L001/R1', 'L001/R2']],
    ]);
    expect(groups.flatMap(({ problems }) => problems)).toEqual([]);
  });

  test('a lane without its mate, and a lone R2, are reported', () => {
    const [group] = groupFiles(['A_L001_R1.fq', 'A_L001_R2.fq', 'A_L002_R1.fq', 'A_L003_R2.fq']);
    expect(group!.problems).toEqual([
      { code: 'mate_missing', file: 'A_L002_R1.fq' },
      { code: 'mate_missing', file: 'A_L003_R2.fq' },
    ]);
  });

  test('[LAUNCH-18] a lone .bam.bai is reported', () => {
    expect(groupFiles(['A.bam.bai'])[0]!.problems).toEqual([{ code: 'bai_without_bam', file: 'A.bam.bai' }]);
    expect(groupFiles(['A.bam.bai', 'A.bam'])[0]!.problems).toEqual([]);
  });
});
