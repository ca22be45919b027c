import type { FrozenAnnotation, FrozenGenome, SampleRow } from './frozen.ts';
import { checkFrozenPaths } from './frozen-paths.ts';

const genome = (dir: string, index = 'references/g/genome.fa.fai'): FrozenGenome => ({
  schema_version: 1,
  value: 'g',
  displayName: 'G',
  dir,
  contigs: [],
  indexes: [{ path: index }, { tool: 'bwa' }],
});
const annotation = (path: string): FrozenAnnotation => ({
  schema_version: 1,
  sources: [{ name: 'genes', kind: 'genes', version: '1', path }],
});
const sample = (name: string, path: string): SampleRow => ({
  index: 0,
  sample: name,
  libraryId: 'L',
  qcType: 'Sample',
  role: 'germline',
  cnvNormal: false,
  files: [{ name: 'f', path }],
});
const GOOD = {
  genome: genome('references/g'),
  annotation: annotation('annotation/g/1/genes.tsv.gz'),
  samples: [sample('S1', 'projects/a/b/S1.fastq')],
};

test('paths of plain names are accepted', () => {
  expect(() => checkFrozenPaths(GOOD)).not.toThrow();
});

test.each(['../secret', '/etc/passwd', 'a/../../b', 'a//b', '.', 'a\\..\\b', 'a\0', ''])(
  'the path %j is rejected in every frozen file',
  (path) => {
    const changes: [string, Partial<typeof GOOD>][] = [
      ['genome.json', { genome: genome(path) }],
      ['genome.json', { genome: genome('references/g', path) }],
      ['annotation.json', { annotation: annotation(path) }],
      ['samples.tsv', { samples: [sample('S1', path)] }],
    ];
    for (const [file, change] of changes)
      expect(() => checkFrozenPaths({ ...GOOD, ...change })).toThrow(expect.objectContaining({ file }));
  },
);

test.each(['..', 'a/b', '../x'])('the sample name %j is rejected', (name) => {
  expect(() => checkFrozenPaths({ ...GOOD, samples: [sample(name, 'projects/a/b/f')] })).toThrow('samples.tsv');
});
