import { callableMask } from './observations.ts';
import { parseCall } from './vcf-call.ts';

const record = (filter: string, format: Record<string, string>, info = 'KEY=abc'): string =>
  ['17', '100', '.', 'A', 'G', '.', filter, info, Object.keys(format).join(':'), Object.values(format).join(':')].join(
    '\t',
  );

describe('a record of calls.vcf.gz', () => {
  test('header lines are no calls', () => {
    expect(parseCall('##fileformat=VCFv4.2')).toBeUndefined();
    expect(parseCall('#CHROM\tPOS')).toBeUndefined();
  });
  test('counts, interval, strands and the pair are parsed, and the rest is kept unchanged', () => {
    const format = {
      GT: '0/1',
      DP: '100',
      AD: '80,20',
      ADF: '40,5',
      ADR: '40,15',
      VAF: '0.2',
      CI: '0.13,0.29',
      QL: '38.5',
      SB: '0.03',
      AMP: 'A1|40|10|50,A2|40|10|50',
      N_AD: '49,1',
      N_DP: '50',
      SS: 'somatic',
      BQ: '36,35',
    };
    expect(parseCall(record('PASS', format, 'KEY=abc;TYPE=SNV;LEN=1;NTC=0'))).toEqual({
      allele_key: 'abc',
      chrom: '17',
      pos: 100,
      ref: 'A',
      alt: 'G',
      type: 'SNV',
      length: 1,
      amplicon: 'A1,A2',
      vaf: 0.2,
      vaf_low: 0.13,
      vaf_high: 0.29,
      depth: 100,
      alt_count: 20,
      alt_forward: 5,
      alt_reverse: 15,
      ref_forward: 40,
      ref_reverse: 40,
      quality: 38.5,
      strand_ratio: 0.25,
      strand_p: 0.03,
      genotype: '0/1',
      zygosity: 'subclonal',
      filter: [],
      hotspot: null,
      somatic: 'somatic',
      normal_vaf: 0.02,
      normal_depth: 50,
      info: { NTC: '0', AMP: 'A1|40|10|50,A2|40|10|50', BQ: '36,35' },
    });
  });
  test('the FILTER column becomes a list of reasons, and a field without a value is null', () => {
    const call = parseCall(
      record('low_vaf;strand_bias', { GT: './.', DP: '0', AD: '.', ADF: '.', ADR: '.', VAF: '.', CI: '.' }),
    )!;
    expect(call).toMatchObject({
      filter: ['low_vaf', 'strand_bias'],
      depth: 0,
      alt_count: null,
      vaf: null,
      strand_ratio: null,
      zygosity: null,
    });
  });
  test('a record without an allele key is rejected with its position', () => {
    expect(() => parseCall(record('PASS', { GT: '0/1' }, 'TYPE=SNV'))).toThrow('17:100 A>G has no allele key');
  });
});

test('the callable mask has one bit per amplicon, the first lowest, and an unmeasured amplicon is not callable', () => {
  const depths = Buffer.alloc(40);
  for (let i = 0; i < 10; i++) depths.writeUInt32LE(i === 9 ? 0xffffffff : i * 10, i * 4);
  expect([...callableMask(depths, 50)]).toEqual([0b11100000, 0b00000001]);
});
