import { expect, test } from '@jest/globals';
import { igvConfig } from './igv-config.ts';

const sources = {
  sample: 'S1',
  genome: 'demo',
  reference: '/g/tasks/t/reference/genome.fa',
  index: '/g/tasks/t/reference/genome.fa.fai',
  genes: null,
  bam: '/g/tasks/t/output/file?path=a.bam',
  bai: '/g/tasks/t/output/file?path=a.bam.bai',
  slice_bam: null,
  slice_bai: null,
  coverage: null,
  locus: 'demo1:1-100',
  chromosomes: ['demo1'],
};

test('[IGV-06] every address in IGV’s configuration is our own api, and the token is read at each request', () => {
  const config = igvConfig(
    sources,
    'https://lab.example',
    { reads: 'Reads', coverage: 'Coverage', genes: 'Genes' },
    () => 'fresh',
  );
  const addresses = JSON.stringify(config).match(/https?:\/\/[^/"]+/g) ?? [];
  expect(new Set(addresses)).toEqual(new Set(['https://lab.example']));
  expect(config.reference.fastaURL).toBe('https://lab.example/api/v1/pivat/g/tasks/t/reference/genome.fa');
  expect(config.oauthToken()).toBe('fresh');
  expect(config.loadDefaultGenomes).toBe(false);
});
