import { expect, test } from '@jest/globals';
import type { RoiRow } from './preset.ts';
import { mergedSpans, roiProblems, roiRegions, roiToBed } from './roi.ts';

const panel = {
  amplicons: [
    { name: 'a1', chrom: 'chr1', start: 101, end: 300, insert: { start: 121, end: 280 } },
    { name: 'a2', chrom: 'chr1', start: 241, end: 440, insert: { start: 261, end: 420 } },
    { name: 'wide', chrom: 'chr2', start: 1, end: 90_000, insert: { start: 1, end: 90_000 } },
  ],
};
const problems = (...rows: Partial<RoiRow>[]) =>
  roiProblems(
    { useDefault: false, rows: rows.map((row) => ({ amplicon: 'a1', start: 121, end: 280, ...row }) as RoiRow) },
    panel,
  ).map((p) => `${p.path}: ${p.message}`);

test('[ROI-03] a row takes an amplicon, a reported part of its insert and a narrower location', () => {
  expect(problems({ start: 130, end: 200, location: { chrom: 'chr1', start: 140, end: 150 } })).toEqual([]);
});

test('[ROI-04] start greater than end is refused, start equal to end is accepted', () => {
  expect(problems({ start: 200, end: 199 })).toEqual(['roi.rows[0].start: start 200 is greater than end 199']);
  expect(problems({ start: 200, end: 200 })).toEqual([]);
});

test('[ROI-05] 35,000 bases are accepted, 35,001 are refused', () => {
  expect(problems({ amplicon: 'wide', start: 1, end: 35_000 })).toEqual([]);
  expect(problems({ amplicon: 'wide', start: 1, end: 35_001 })).toEqual([
    'roi.rows[0]: spans 35001 bases; at most 35000 are allowed',
  ]);
});

test('[ROI-06] location chr, start and end must be all filled or all blank', () => {
  expect(problems({ location: { chrom: 'chr1', start: 130 } as never })).toEqual([
    'roi.rows[0].location: chr, start and end must be all filled or all blank',
  ]);
  expect(problems({ location: { chrom: '', start: undefined, end: null } as never })).toEqual([]);
});

test('[ROI-07] a location with start greater than end is refused', () => {
  expect(problems({ location: { chrom: 'chr1', start: 150, end: 140 } })).toEqual([
    'roi.rows[0].location: start 150 is greater than end 140',
  ]);
});

test('[ROI-08] a grid of a panel without ROI data is refused', () => {
  const message = [{ path: 'roi', message: 'the panel must have ROI data' }];
  expect(roiProblems({ useDefault: true, rows: [] }, { amplicons: [] })).toEqual(message);
  expect(roiProblems({ useDefault: false, rows: [] }, panel)).toEqual(message);
});

test('an unknown amplicon, a range outside the insert and a blank field are refused', () => {
  expect(problems({ amplicon: 'zz' }, { start: 120 }, { end: undefined as never })).toEqual([
    'roi.rows[0].amplicon: zz is not an amplicon of the panel',
    'roi.rows[1]: 120-280 lies outside the insert 121-280 of a1',
    'roi.rows[2].end: cannot be empty',
  ]);
});

test('[PRESET-15] with use-default on, the inserts of the panel are the regions', () => {
  const rows = [{ amplicon: 'a1', start: 130, end: 140 }];
  expect(roiRegions({ useDefault: true, rows }, panel).map((r) => [r.amplicon, r.start, r.end])).toEqual([
    ['a1', 121, 280],
    ['a2', 261, 420],
    ['wide', 1, 90_000],
  ]);
  expect(roiRegions({ useDefault: false, rows }, panel)).toEqual([
    { amplicon: 'a1', chrom: 'chr1', start: 130, end: 140 },
  ]);
});

test('[ROI-02] the bed has 0-based starts where the grid is 1-based', () => {
  expect(roiToBed(roiRegions({ useDefault: false, rows: [{ amplicon: 'a1', start: 121, end: 280 }] }, panel))).toBe(
    'chr1\t120\t280\ta1\n',
  );
});

test('overlapping regions are merged in the order of the contigs', () => {
  const regions = roiRegions({ useDefault: true, rows: [] }, panel);
  expect(mergedSpans(regions, ['chr2', 'chr1'])).toEqual([
    { chrom: 'chr2', start: 1, end: 90_000 },
    { chrom: 'chr1', start: 121, end: 420 },
  ]);
});
