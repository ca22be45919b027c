import { expect, test } from '@jest/globals';
import { meaningOf, STEP_FILES } from './catalogue.ts';

test('each file of a step is known by its path', () => {
  expect(meaningOf('report', 'S1/..')).toBe('.');
  expect(meaningOf('report', 'slices/tumor-1.bam')).toMatch(/^Reads around/);
  expect(meaningOf('report', 'slices/tumor-1.bam.bai')).toBe('Index of tumor-1.bam.');
  expect(meaningOf('report', 'pileups/T/abc.json')).toMatch(/true counts/);
  expect(meaningOf('report', 'T.html')).toBe('A plain report of the sample.');
  expect(meaningOf('post-filter', 'samples/T/trace.tsv.gz')).toMatch(/^Each call/);
  expect(meaningOf('call', 'calls.vcf.gz.tbi')).toBe('Index of calls.vcf.gz.');
});

test('no file of a step stands twice, and every table has distinct columns', () => {
  for (const { files } of STEP_FILES) {
    expect(new Set(files.map((f) => f.file)).size).toBe(files.length);
    for (const { table } of files) {
      const names = table?.columns.map(([name]) => name) ?? [];
      expect(new Set(names).size).toBe(names.length);
    }
  }
});
