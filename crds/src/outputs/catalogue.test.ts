import { expect, test } from '@jest/globals';
import { FILE_KEYS, fileKey, meaningOf, STEP_FILES } from './catalogue.ts';

test('each file of a step is described by its path', () => {
  expect(meaningOf('report', 'S1/..')).toBe('.');
  expect(meaningOf('report', 'slices/tumor-1.bam')).toMatch(/^Reads around/);
  expect(meaningOf('report', 'slices/tumor-1.bam.bai')).toBe('Index of tumor-1.bam.');
  expect(meaningOf('report', 'pileups/T/abc.json')).toMatch(/true counts/);
  expect(meaningOf('report', 'T.html')).toBe('A plain report of the sample.');
  expect(meaningOf('post-filter', 'samples/T/trace.tsv.gz')).toMatch(/^Each call/);
  expect(meaningOf('call', 'calls.vcf.gz.tbi')).toBe('Index of calls.vcf.gz.');
});

test('no file of a step is listed twice, and every table has distinct columns', () => {
  for (const { files } of STEP_FILES) {
    expect(new Set(files.map((f) => f.file)).size).toBe(files.length);
    for (const { table } of files) {
      const names = table?.columns.map(([name]) => name) ?? [];
      expect(new Set(names).size).toBe(names.length);
    }
  }
});

test('the path of a file in the task gives the key of its description', () => {
  expect(fileKey('samples/tumor-1/reads/pileup.tsv.gz')).toBe('reads_pileup_tsv_gz');
  expect(fileKey('samples/tumor-1/reads/pileup.tsv.gz.tbi')).toBe('index');
  expect(fileKey('report/pileups/T/abc.json')).toBe('report_pileups_s_k_json');
  expect(fileKey('post-filter/samples/T/trace.tsv.gz')).toBe('post_filter_samples_s_trace_tsv_gz');
  expect(fileKey('logs/call-T.log')).toBe('log');
  expect(fileKey('samples/T/call/result.json')).toBe('result');
  expect(fileKey('preset.json')).toBe('definition');
  expect(fileKey('report/elsewhere/x.txt')).toBeUndefined();
  expect(new Set(FILE_KEYS).size).toBe(FILE_KEYS.length);
});
