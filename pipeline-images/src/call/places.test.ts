import { placedBed, placesOf, unplace } from './places.ts';

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

test('windows are held by pieces with room for their reads, near ones by one piece, none beyond its contig', () => {
  expect(placesOf(windows, contigs)).toEqual([
    { chrom: 'c1', start: 1, end: 1_630, name: 'place0' },
    { chrom: 'c1', start: 4_400, end: 5_630, name: 'place1' },
    { chrom: 'c2', start: 1_300, end: 2_000, name: 'place2' },
  ]);
});

test('a call comes back to where it was looked for', () => {
  const places = placesOf(windows, contigs);
  expect(placedBed(windows.slice(2), places)).toBe('place1\t600\t631\nplace2\t600\t631\n');
  const vcf = '##fileformat=VCFv4.2\n##contig=<ID=place1,length=1231>\n#CHROM\tPOS\tID\nplace1\t601\t.\n';
  expect(unplace(vcf, places, contigs)).toBe(
    '##fileformat=VCFv4.2\n##contig=<ID=c1,length=10000>\n##contig=<ID=c2,length=2000>\n#CHROM\tPOS\tID\nc1\t5000\t.\n',
  );
});
