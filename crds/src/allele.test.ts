import { alleleKey, alleleType } from './allele.ts';

describe('allele', () => {
  test('the key depends on genome, contig, position and bases, but not on their case', () => {
    const allele = { chrom: '17', pos: 7578115, ref: 'T', alt: 'C' };
    const key = alleleKey('b37', allele);
    expect(key).toMatch(/^[0-9a-f]{20}$/);
    expect(alleleKey('b37', { ...allele, alt: 'c' })).toBe(key);
    expect(alleleKey('hg19', allele)).not.toBe(key);
    expect(alleleKey('b37', { ...allele, pos: 7578116 })).not.toBe(key);
  });
  test.each([
    ['A', 'T', 'SNV', 1],
    ['AC', 'TG', 'MNV', 2],
    ['A', 'ATTT', 'INS', 3],
    ['ACGT', 'A', 'DEL', 3],
    ['ACGT', 'TT', 'DELINS', 4],
    ['ACGT', 'ATT', 'DELINS', 3],
  ])('%s>%s is a %s of %d', (ref, alt, type, length) => {
    expect(alleleType(ref, alt)).toEqual({ type, length });
  });
});
