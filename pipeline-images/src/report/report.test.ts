import { describe, expect, test } from '@jest/globals';
import type { SampleReport } from '@seqpanel/crds/outputs/report.ts';
import { escapeHtml, reportHtml } from './html.ts';
import { listFiles, zipEntries } from './listing.ts';
import { carries, layOut, parseSam } from './read-view.ts';
import { sampleNames, shareOf } from './sampling.ts';

const sam = (cigar: string, bases: string, flag = 99): string =>
  ['r', flag, 'c', 101, 60, cigar, '=', 1, 1, bases, 'F'.repeat(bases.length), 'NM:i:0'].join('\t');
const layout = (cigar: string, bases: string) => layOut(parseSam(sam(cigar, bases))!);

describe('a read', () => {
  // Reference from 101: A C G T A C G T
  test('shows a substitution, a deletion, an insertion and neither', () => {
    const snv = { pos: 103, ref: 'G', alt: 'A' };
    expect(carries(layout('6M', 'ACATAC'), snv, 'T')).toBe('alt');
    expect(carries(layout('6M', 'ACGTAC'), snv, 'T')).toBe('reference');
    expect(carries(layout('6M', 'ACCTAC'), snv, 'T')).toBe('other');
    expect(carries(layout('2M2D4M', 'ACACGT'), { pos: 102, ref: 'CGT', alt: 'C' }, 'A')).toBe('alt');
    expect(carries(layout('2M2I4M', 'ACTTGTAC'), { pos: 102, ref: 'C', alt: 'CTT' }, 'G')).toBe('alt');
    expect(carries(layout('8M', 'ACGTACGT'), { pos: 102, ref: 'C', alt: 'CTT' }, 'G')).toBe('reference');
    expect(carries(layout('2M', 'AC'), snv, 'T')).toBeUndefined();
  });

  test('is aligned without its clipped ends', () => {
    expect(layout('3S2M1D2M2S', 'NNNACTANN')).toEqual({ start: 101, cells: 'AC-TA', insertions: [] });
  });

  test('that is secondary, supplementary or unmapped is skipped', () => {
    expect([0x100, 0x800, 0x4].map((flag) => parseSam(sam('2M', 'AC', flag)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('sampling selects the same fragments in any order, and about evenly', () => {
  const names = Array.from({ length: 1000 }, (_, i) => `M01:1:FC:1:1101:${i}`);
  expect(sampleNames(names.toReversed(), 50)).toEqual(sampleNames(names, 50));
  expect(sampleNames(names.slice(0, 3), 50).length).toBe(3);
  const low = names.filter((name) => shareOf(name) < 0.5).length;
  expect(low).toBeGreaterThan(440);
  expect(low).toBeLessThan(560);
});

const report: SampleReport = {
  schema_version: 1,
  sample: 'S1',
  library_id: '<script>alert(1)</script>',
  qc_type: 'Sample',
  role: 'tumor',
  task: 'run',
  panel: { value: 'p', displayName: 'P', version: '1' },
  genome: { value: 'g', displayName: 'G' },
  synthetic: true,
  preset: 'default',
  warnings: ['The normal sample N failed: this tumor was called without it (pair_incomplete).'],
  qc: { verdict: 'fail', rows: [] },
  calls: [],
  hotspots: [],
  not_covered: [],
  methods: [{ name: 'samtools', version: '1.16' }],
  annotation: [],
};

describe('the page of a sample', () => {
  test('states research use only, synthetic data, the verdict and the warnings', () => {
    const html = reportHtml(report);
    for (const text of [
      'For research use only',
      'Synthetic data',
      'QC failed',
      'pair_incomplete',
      'No variant passed the filters.',
    ])
      expect(html).toContain(text);
    expect(reportHtml({ ...report, synthetic: false })).not.toContain('Synthetic data');
  });

  test('escapes markup in its data', () => {
    expect(reportHtml(report)).not.toContain('<script>');
    expect(escapeHtml(`<a href="x" id='y'>&`)).toBe('&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;');
  });
});

test('files are listed with their sample and zipped into its folder, into common or not at all', () => {
  const output = (path: string) => ({ path, sha256: 'x', size: 1, type: 't' });
  const result = (step: string, paths: string[], sample?: string) =>
    ({ step, sample, outputs: paths.map(output) }) as never;
  const files = listFiles(
    [
      result('reads', ['reads.bam', 'metrics.json'], 'S1'),
      result('qc', ['sample_qc.tsv']),
      result('report', ['S1.html', 'slices/S1.bam', 'slices/S1.bam.bai', 'pileups/S1/k.json', 'provenance.json']),
    ],
    new Set(['S1']),
  );
  expect(files.map((f) => `${f.path} ${f.sample}`)).toEqual([
    'qc/sample_qc.tsv .',
    'report/S1.html S1',
    'report/pileups/S1/k.json S1',
    'report/provenance.json .',
    'report/slices/S1.bam S1',
    'report/slices/S1.bam.bai S1',
    'samples/S1/reads/metrics.json S1',
    'samples/S1/reads/reads.bam S1',
  ]);
  expect(zipEntries(files, '/t').map((e) => e.path)).toEqual([
    'common/qc/sample_qc.tsv',
    'S1/report/S1.html',
    'common/report/provenance.json',
    'S1/slice.bam',
    'S1/slice.bam.bai',
    'S1/reads/metrics.json',
  ]);
});
