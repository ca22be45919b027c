import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseVcf } from '@seqpanel/crds/vcf.ts';
import { parseTranscript } from '../genome/transcripts-table.ts';
import { judgeNegative, judgeNtc, judgePositive } from './controls.ts';
import { codingExons, coverageLines, outside, roiCoverage } from './coverage.ts';
import { DepthIndex, depthBand } from './depths.ts';
import { effectiveQc, judgeMetrics } from './sample-qc.ts';
import { judgeSample, worst } from './verdicts.ts';

const call = (pos: number, vaf: number, filter = 'PASS') =>
  parseVcf(`chr1\t${pos}\t.\tA\tC\t.\t${filter}\tKEY=k${pos}\tDP:AD:VAF\t100:50,${Math.round(vaf * 100)}:${vaf}\n`)[0]!;

describe('controls', () => {
  test('an empty NTC passes, and one with an amplicon over the limit fails and names the amplicon', () => {
    expect(judgeNtc('N', [{ amplicon: 'a', fragments: 0 }], [], 10)).toMatchObject({ verdict: 'pass', fragments: 0 });
    expect(
      judgeNtc(
        'N',
        [
          { amplicon: 'a', fragments: 11 },
          { amplicon: 'b', fragments: 10 },
        ],
        [call(5, 0.9)],
        10,
      ),
    ).toMatchObject({
      verdict: 'fail',
      fragments: 21,
      amplicons: [{ amplicon: 'a', fragments: 11 }],
      alleles: [{ pos: 5, fragments: 90 }],
    });
  });

  test('a negative control with a kept call fails', () => {
    expect(judgeNegative('N', []).verdict).toBe('pass');
    expect(judgeNegative('N', [call(5, 0.4)])).toMatchObject({ verdict: 'fail', unexpected: [{ pos: 5, vaf: 0.4 }] });
  });

  const expected = [5, 9].map((pos) => ({ material: 'm', chrom: '1', pos, ref: 'A', alt: 'C', vaf: 0.2 }));
  test('a positive control lists the expected calls that were found, with the genome’s contig names', () => {
    const judged = judgePositive('P', undefined, expected, [call(5, 0.19)], [{ name: 'chr1' }]);
    expect(judged).toMatchObject({ verdict: 'fail', material: 'm', missing: 1 });
    expect(judged.expected.map((e) => [e.chrom, e.found, e.measured])).toEqual([
      ['chr1', true, 0.19],
      ['chr1', false, null],
    ]);
  });

  test('a filtered expected call counts only near its frequency', () => {
    const found = (vaf: number): boolean =>
      judgePositive('P', 'm', expected.slice(0, 1), [call(5, vaf, 'low_vaf')], [{ name: 'chr1' }]).expected[0]!.found;
    expect([found(0.1), found(0.01)]).toEqual([true, false]);
  });

  test('a positive control without a known material is not assessed', () => {
    expect(judgePositive('P', 'other', expected, [], []).verdict).toBe('not_assessed');
  });
});

describe('thresholds', () => {
  const depth = { metric: 'mean_depth', operator: '>=' as const, value: 100, action: 'fail' as const };
  test('apply to the sample types they name, and to an NTC only by name', () => {
    const metrics = { mean_depth: { value: 50 }, reads_total: { value: 9 }, ntc_amplicons_over: { value: 0 } };
    const verdicts = (type: string, sampleTypes?: ('NTC' | 'Sample')[]) =>
      judgeSample(type, metrics, [{ ...depth, ...(sampleTypes ? { sampleTypes } : {}) }], 'preset').map(
        (j) => `${j.metric} ${j.verdict}`,
      );
    expect(verdicts('Sample')).toEqual(['reads_total pass', 'mean_depth fail']);
    expect(verdicts('NTC')).toEqual(['ntc_amplicons_over pass']);
    expect(verdicts('NTC', ['NTC'])).toEqual(['ntc_amplicons_over pass', 'mean_depth fail']);
    expect(verdicts('Sample', ['NTC'])).toEqual(['reads_total pass']);
  });

  test("[PRESET-15] are the default ones with use-default on, else the preset's own", () => {
    const qc = (useDefault: boolean) => ({ useDefault, skip: false, conditions: [depth] });
    expect(effectiveQc(qc(false))).toEqual([depth]);
    expect(effectiveQc(qc(true))).not.toContain(depth);
    expect(effectiveQc(qc(true))).toContainEqual(expect.objectContaining({ metric: 'on_target_fraction', value: 0.5 }));
  });

  test('[RESULT-03] are those of the preset, or the default ones if the preset says so', () => {
    const metrics = { reads_total: { value: 9 }, mean_depth: { value: 250 }, on_target_fraction: { value: 0.4 } };
    const judged = (useDefault: boolean, skip = false) =>
      judgeMetrics({ useDefault, skip, conditions: [{ ...depth, value: 300 }] }, 'Sample', metrics, false).map(
        ({ metric, limit, source, verdict }) => [metric, limit, source, verdict],
      );
    const reads = ['reads_total', 1, 'default', 'pass'];
    expect(judged(false)).toEqual([reads, ['mean_depth', 300, 'preset', 'fail']]);
    expect(judged(true)).toEqual([
      reads,
      ['mean_depth', 100, 'default', 'pass'],
      ['on_target_fraction', 0.5, 'default', 'warn'],
    ]);
    expect(judged(false, true)).toEqual([]);
  });

  test('a sample without reads fails, and a metric without a value is not assessed', () => {
    expect(judgeSample('Sample', { reads_total: { value: 0 } }, [depth], 'preset').map((j) => j.verdict)).toEqual([
      'fail',
      'not_assessed',
    ]);
    expect(worst(['pass', 'warn', 'not_assessed'])).toBe('warn');
    expect(worst([])).toBe('not_assessed');
  });
});

describe('coverage', () => {
  const panel = {
    amplicons: [
      { name: 'a', chrom: 'c', start: 1, end: 20, insert: { start: 5, end: 14 }, gene: 'G', exon: '1' },
      { name: 'b', chrom: 'c', start: 8, end: 40, insert: { start: 12, end: 31 }, gene: 'G', exon: '2' },
    ],
  };
  const index = new DepthIndex(panel);
  // Depth = position, in both inserts.
  const depths = Uint32Array.from([
    ...Array.from({ length: 10 }, (_, i) => 5 + i),
    ...Array.from({ length: 20 }, (_, i) => 12 + i),
  ]);
  const roi = [{ chrom: 'c', start: 5, end: 31 }];

  test('gaps are the intervals of the region of interest under the gap depth', () => {
    const found = roiCoverage(roi, index, depths, 10);
    expect(found).toEqual({ bases: 27, covered: 22, depthSum: 486, gaps: [{ chrom: 'c', start: 5, end: 9, min: 5 }] });
  });

  test('an exon is measured where it is targeted, and bases outside all inserts are reported', () => {
    const t = parseTranscript('c\t1\t60\tT.1\tG\t-\tprotein_coding\t0\t0\t1-20;30-60\t10-20;30-50');
    const exons = codingExons(panel, [t], ['c']);
    expect(exons.map((e) => [e.exon, e.start, e.end])).toEqual([
      ['2', 10, 20],
      ['1', 30, 50],
    ]);
    expect(coverageLines('S', exons, roi, roi, index, depths).map((l) => l.split('\t').slice(1, 9))).toEqual([
      ['G', 'T.1', '2', '11', '0', '15.00', '10', '100.00'],
      ['G', 'T.1', '1', '2', '19', '30.50', '30', '100.00'],
    ]);
    expect(outside({ chrom: 'c', start: 1, end: 40 }, roi)).toEqual([
      { chrom: 'c', start: 1, end: 4 },
      { chrom: 'c', start: 32, end: 40 },
    ]);
  });

  test('without gene models, the amplicons of a gene serve as its exons', () => {
    expect(codingExons(panel, [], ['c']).map((e) => [e.transcript, e.exon, e.start, e.end])).toEqual([
      ['.', '1', 5, 14],
      ['.', '2', 12, 31],
    ]);
  });

  test('the band contains median, 10th and 90th percentile of each base', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'seqpanel-band-'));
    try {
      const files = await Promise.all(
        [1, 2, 3, 40].map(async (depth, i) => {
          const bytes = Buffer.alloc(8);
          bytes.writeUInt32LE(depth, 0);
          await writeFile(join(dir, `${i}`), bytes);
          return join(dir, `${i}`);
        }),
      );
      const band = await depthBand(files, 2);
      expect([0, 4, 8, 12].map((at) => band.readUInt32LE(at))).toEqual([3, 1, 40, 0]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
