import { parseInfo, parseVcf } from './vcf.ts';

const HEADER = '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n';

test('a record has its fields, INFO and the FORMAT values of the sample', () => {
  const [record, ...others] = parseVcf(
    `${HEADER}chr1\t7\trs1\tA\tT\t.\tlow_vaf;primer\tKEY=k;DB\tGT:AD:SB\t0/1:90,10\n`,
  );
  expect(others).toEqual([]);
  expect(record).toMatchObject({ chrom: 'chr1', pos: 7, ref: 'A', alt: 'T', filter: 'low_vaf;primer' });
  expect([...record!.info]).toEqual([
    ['KEY', 'k'],
    ['DB', ''],
  ]);
  // Trailing FORMAT values may be omitted.
  expect([...record!.format]).toEqual([
    ['GT', '0/1'],
    ['AD', '90,10'],
    ['SB', '.'],
  ]);
});

test('a record without sample has no FORMAT values, and a header alone has no records', () => {
  expect(parseVcf('chr1\t7\t.\tA\tT\t.\tPASS\t.\n')[0]).toMatchObject({ info: new Map(), format: new Map() });
  expect(parseVcf(HEADER)).toEqual([]);
});

test('an INFO value may contain an equals sign', () => {
  expect(parseInfo('ANN=a=b;X=').get('ANN')).toBe('a=b');
});
