import { expect, test } from '@jest/globals';
import { mergedSpans, roiRegions, roiToBed } from './roi.ts';

const panel = {
  amplicons: [
    { name: 'a1', chrom: 'chr1', start: 101, end: 300, insert: { start: 121, end: 280 } },
    { name: 'a2', chrom: 'chr1', start: 241, end: 440, insert: { start: 261, end: 420 } },
    { name: 'wide', chrom: 'chr2', start: 1, end: 90_000, insert: { start: 1, end: 90_000 } },
  ],
};
test('[PRESET-15] with use-default on, the regions are the inserts of the panel', () => {
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

test('the BED has 0-based starts, the grid 1-based', () => {
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
