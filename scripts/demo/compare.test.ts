import { describe, expect, test } from '@jest/globals';
import { compare, formatTable } from './compare.ts';

const variant = { chrom: 'demo1', pos: 100, ref: 'A', alt: 'T', vaf: 0.5, gene: 'SYN1', hgvs: 'p.Lys3Asn' };

describe('compare', () => {
  test('a planted variant that is reported is found with both fractions', () => {
    const rows = compare({ S1: [variant] }, { S1: [{ ...variant, vaf: 0.48 }] });
    expect(rows).toEqual([
      {
        sample: 'S1',
        outcome: 'found',
        variant: 'demo1:100 A>T',
        name: 'SYN1 p.Lys3Asn',
        planted: 0.5,
        measured: 0.48,
      },
    ]);
  });

  test('an unreported planted variant is missed, and a reported unplanted one is extra', () => {
    const rows = compare({ S1: [variant], S2: [] }, { S2: [{ ...variant, pos: 7, vaf: 0.1 }] });
    expect(rows.map((row) => [row.sample, row.outcome])).toEqual([
      ['S1', 'missed'],
      ['S2', 'extra'],
    ]);
  });

  test('a call of another allele at the same locus does not count as found', () => {
    const rows = compare({ S1: [variant] }, { S1: [{ ...variant, alt: 'G' }] });
    expect(rows.map((row) => row.outcome)).toEqual(['missed', 'extra']);
  });
});

describe('formatTable', () => {
  test('the last line counts found, missed and extra', () => {
    const lines = formatTable(compare({ S1: [variant] }, { S1: [{ ...variant, vaf: 0.48 }] }));
    expect(lines.at(-1)).toBe('1 of 1 planted variants found, 0 missed, 0 extra');
    expect(lines[1]).toContain('50.0 %');
    expect(lines[1]).toContain('48.0 %');
  });
});
