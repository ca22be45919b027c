import { expect, test } from '@jest/globals';
import { aliasesOf, canonicalName, matchContig } from './contigs.ts';

const RCRS = 'c68f52674c9fb33aef52dcf399755519';
const YORUBA = 'd2ed829b8a1628d16cbeee88e88e39eb';

test('17 and chr17 are the same contig, also in keys', () => {
  expect(matchContig([{ name: 'chr17', length: 9 }], { name: '17', length: 9 })?.name).toBe('chr17');
  expect([canonicalName('chr17'), canonicalName('17'), canonicalName('chrUn_7')]).toEqual(['17', '17', 'chrUn_7']);
  expect(aliasesOf('X')).toEqual(['chrX']);
});

test('a different length or md5 rejects a contig of the same name', () => {
  expect(matchContig([{ name: '17', length: 9 }], { name: '17', length: 8 })).toBeUndefined();
  expect(matchContig([{ name: '17', length: 9, md5: 'a' }], { name: '17', length: 9, md5: 'b' })).toBeUndefined();
});

test('equal md5 matches contigs with any names', () => {
  expect(matchContig([{ name: 'NC_000017.10', length: 9, md5: 'a' }], { name: '17', md5: 'a' })?.name).toBe(
    'NC_000017.10',
  );
});

test('the mitochondrion is matched by sequence, never by name', () => {
  expect(matchContig([{ name: 'chrM', length: 16571, md5: YORUBA }], { name: 'MT', length: 16569 })).toBeUndefined();
  expect(matchContig([{ name: 'chrM', length: 16569, md5: RCRS }], { name: 'MT', length: 16569 })?.name).toBe('chrM');
  expect(canonicalName('chrM', RCRS)).toBe('MT');
});

test('accessions of NCBI match the chromosomes of their build', () => {
  const hg19 = [
    { name: 'chr17', length: 81195210 },
    { name: 'chrX', length: 155270560 },
  ];
  expect(matchContig(hg19, { name: 'NC_000017.10' })?.name).toBe('chr17');
  expect(matchContig(hg19, { name: 'NC_000023.10' })?.name).toBe('chrX');
  expect(matchContig(hg19, { name: 'NC_000017.11' })).toBeUndefined();
  expect(matchContig([{ name: '17', length: 41288500 }], { name: 'NC_000017.10' })?.name).toBe('17');
  expect(matchContig(hg19, { name: 'NC_000017.99' })).toBeUndefined();
});
