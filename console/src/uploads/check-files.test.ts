import { fileTypeOf } from '@seqpanel/crds/file-types.ts';
import { type BatchInput, checkFiles, type FileFacts } from './check-files.ts';

const GB = 1024 ** 3;
const file = (name: string, size = 10): FileFacts => ({ name, size, lastModified: 1 });
const check = (chosen: FileFacts[], change: Partial<BatchInput<FileFacts>> = {}) =>
  checkFiles({
    chosen,
    inProject: new Set(),
    inQueue: new Set(),
    bytesFree: null,
    maxFiles: 100,
    maxFileBytes: 2 * GB,
    ...change,
  });
const names = (files: FileFacts[]) => files.map(({ name }) => name);

test.each([
  ['a.fastq.gz', 'fastq'],
  ['a.fastq', 'fastq'],
  ['a.fq', 'fastq'],
  ['a.fq.gz', 'fastq'],
  ['a.bam', 'bam'],
  ['a.bam.bai', 'bai'],
  ['a.csv', 'samplesheet'],
  ['a.FASTQ.GZ', 'fastq'],
])('[UPLOAD-08] %s is accepted as %s', (name, type) => {
  expect(fileTypeOf(name)).toBe(type);
  expect(names(check([file(name)]).accepted)).toEqual([name]);
});

test.each(['a.txt', 'a.bai', 'a.gz', 'fastq', 'a.fastq.zip', 'a.cram'])(
  '[UPLOAD-09] %s is refused by its format',
  (name) => {
    expect(check([file(name)]).refused).toMatchObject([{ reason: 'format' }]);
  },
);

test('[UPLOAD-10] a file of 2 GB is accepted, one byte more is rejected', () => {
  const decision = check([file('a.bam', 2 * GB), file('b.bam', 2 * GB + 1)]);
  expect(names(decision.accepted)).toEqual(['a.bam']);
  expect(decision.refused).toMatchObject([{ file: { name: 'b.bam' }, reason: 'too_large' }]);
});

test.each(['a b.fastq', 'ä.fastq', 'a(1).fastq', '../a.fastq'])('[PROJ-08] the file name %s is refused', (name) => {
  expect(check([file(name)]).refused).toMatchObject([{ reason: 'name' }]);
});

test('[ERR-46] files over the quota are ignored, the others accepted', () => {
  const decision = check([file('a.bam', 6), file('b.bam', 6), file('c.bam', 3)], { bytesFree: 10 });
  expect(names(decision.accepted)).toEqual(['a.bam', 'c.bam']);
  expect(decision.exceeded).toMatchObject({ neededBytes: 6, freeBytes: 1 });
});

test('[ERR-47] a batch over the maximum is rejected as a whole', () => {
  const decision = check([file('a.bam'), file('b.bam'), file('c.bam')], { maxFiles: 2 });
  expect(decision).toMatchObject({ tooMany: true, accepted: [] });
});

test('[ERR-48] files selected before, or twice, are skipped and uploaded once', () => {
  const decision = check([file('a.bam'), file('a.bam'), file('b.bam')], { inQueue: new Set(['b.bam']) });
  expect(names(decision.accepted)).toEqual(['a.bam']);
  expect(names(decision.repeated)).toEqual(['a.bam', 'b.bam']);
});

test('[ERR-52] a file whose name exists in the project is rejected', () => {
  expect(check([file('a.bam')], { inProject: new Set(['a.bam']) }).refused).toMatchObject([{ reason: 'exists' }]);
});
