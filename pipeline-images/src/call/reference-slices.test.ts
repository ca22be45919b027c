import { sliceBed, slicesAround, toGenomeCoordinates } from './reference-slices.ts';

const contigs = [
  { name: 'c1', length: 10_000 },
  { name: 'c2', length: 2_000 },
];
const windows = [
  { chrom: 'c1', start: 300, end: 330 },
  { chrom: 'c1', start: 1_000, end: 1_030 },
  { chrom: 'c1', start: 5_000, end: 5_030 },
  { chrom: 'c2', start: 1_900, end: 1_930 },
];

test('slices contain windows and their reads, close windows share a slice, and none extends beyond its contig', () => {
  expect(slicesAround(windows, contigs)).toEqual([
    { chrom: 'c1', start: 1, end: 1_630, name: 'slice0' },
    { chrom: 'c1', start: 4_400, end: 5_630, name: 'slice1' },
    { chrom: 'c2', start: 1_300, end: 2_000, name: 'slice2' },
  ]);
});

test('a call gets the genome’s coordinates back', () => {
  const slices = slicesAround(windows, contigs);
  expect(sliceBed(windows.slice(2), slices)).toBe('slice1\t600\t631\nslice2\t600\t631\n');
  const vcf = '##fileformat=VCFv4.2\n##contig=<ID=slice1,length=1231>\n#CHROM\tPOS\tID\nslice1\t601\t.\n';
  expect(toGenomeCoordinates(vcf, slices, contigs)).toBe(
    '##fileformat=VCFv4.2\n##contig=<ID=c1,length=10000>\n##contig=<ID=c2,length=2000>\n#CHROM\tPOS\tID\nc1\t5000\t.\n',
  );
});
