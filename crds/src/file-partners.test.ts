import { partnerKey, partnerName } from './file-partners.ts';
import { groupFiles } from './sample-grouping.ts';

test.each([
  ['S1_S1_L001_R1_001.fastq.gz', 'S1_S1_L001_R2_001.fastq.gz'],
  ['S1_S1_L001_R2_001.fastq.gz', 'S1_S1_L001_R1_001.fastq.gz'],
  ['S1_R1_trimmed.fastq.gz', 'S1_R2_trimmed.fastq.gz'],
  ['S1.L001.R2.xxx.fq.gz', 'S1.L001.R1.xxx.fq.gz'],
  ['R1_R1.fastq', 'R1_R2.fastq'],
  ['S1_R1_2.fastq', 'S1_R2_2.fastq'],
  ['x_1.FASTQ.GZ', 'x_2.FASTQ.GZ'],
  ['x_1.fq', 'x_2.fq'],
  ['x.R1.fastq', 'x.R2.fastq'],
  ['a.bam', 'a.bam.bai'],
  ['a.bam.bai', 'a.bam'],
])('the partner of %s is %s, and both have one key', (name, partner) => {
  expect(partnerName(name)).toBe(partner);
  expect(partnerKey(name)).toBe(partnerKey(partner));
});

test.each(['reads.fastq.gz', 'sheet.csv', 'S12.fastq', 'x_3.fq'])('%s has no partner', (name) => {
  expect(partnerName(name)).toBeUndefined();
});

test.each([
  'S1_S12_L001_R1_001.fastq.gz',
  'S1_R1_trimmed.fastq.gz',
  'my-lib_L2_2.fq.gz',
  'manta_C09D_T_111207.8.ACCAACTG_R1_xxx.fastq.gz',
  'x-1.fastq',
  'S1_r2.fastq',
  'S1_1_001.fastq',
  'S12.fastq',
])('%s has a partner exactly when both names are the reads of one sample and lane', (name) => {
  const partner = partnerName(name);
  const both = groupFiles([name, partner ?? 'other_R2.fastq']);
  expect(both.length === 1 && both[0]!.problems.length === 0).toBe(partner !== undefined);
});
