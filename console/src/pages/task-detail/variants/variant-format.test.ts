import { describe, expect, test } from '@jest/globals';
import { conditionsOf, fieldFilterText, readFieldFilters } from './use-variant-url.ts';
import { allele, locus, percent, small, typeAndLength } from './variant-format.ts';

describe('figures of the variant table', () => {
  test.each([
    [0.0498, '4.98'],
    [0.4953, '49.5'],
    [1, '100.0'],
    [0, '0.00'],
    [0.00002, '<0.01'],
    [0.99999, '>99.9'],
  ])('a read frequency of %d is shown as %s and never rounded to 0 or 100', (fraction, text) => {
    expect(percent(fraction)).toBe(text);
  });

  test('a long allele is shortened in the middle with its length', () => {
    expect(allele('ACGTACGTACGT')).toBe('ACGTACGTACGT');
    expect(allele('ACGTAAAAAAAAAAAATTGA')).toBe('ACGT…TTGA (20 bp)');
  });

  test('type and length, locus and small numbers', () => {
    expect(typeAndLength('DEL', 12)).toBe('DEL −12');
    expect(typeAndLength('SNV', 1)).toBe('SNV');
    expect(locus('chr17', 7578115)).toBe('chr17:7,578,115');
    expect(small(0.00012)).toBe('1.2e-4');
    expect(small(0.0123)).toBe('0.012');
  });
});

describe('filters in the address', () => {
  test('values and ranges are read; invalid ones are left out', () => {
    const filters = readFieldFilters(
      new URLSearchParams('f.impact=HIGH,LOW&f.vaf=0.05..&f.depth=..100&f.quality=x..y&tab=variants'),
    );
    expect(filters).toEqual([
      { field: 'impact', values: ['HIGH', 'LOW'] },
      { field: 'vaf', min: 0.05 },
      { field: 'depth', max: 100 },
      { field: 'quality', values: ['x..y'] },
    ]);
    expect(filters.map(fieldFilterText)).toEqual(['HIGH,LOW', '0.05..', '..100', 'x..y']);
  });

  test('rows without a value pass an upper limit, but not a lower one', () => {
    expect(
      conditionsOf([
        { field: 'population_af', max: 0.01 },
        { field: 'depth', min: 50 },
      ]),
    ).toEqual([
      { field: 'population_af', operator: '<=', value: 0.01, missingPasses: true },
      { field: 'depth', operator: '>=', value: 50, missingPasses: false },
    ]);
  });
});
