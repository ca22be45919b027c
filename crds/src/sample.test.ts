import fc from 'fast-check';
import { fromSpecSample, type Sample, toSpecSample } from './sample.ts';
import { decodeSamples, encodeSamples } from './samples-table.ts';

const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const words = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 .:;,"'{}-]{0,20}$/);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const file = fc.record({
  name: words,
  path: words,
  read: fc.constantFrom('R1' as const, 'R2' as const, 'bam' as const, 'bai' as const),
  lane: maybe(name),
  size: fc.nat(),
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
});
const sample: fc.Arbitrary<Sample> = fc.record({
  name,
  libraryId: words,
  qcType: fc.constantFrom('Sample', 'NTC', 'NegCtrl', 'PosCtrl'),
  role: fc.constantFrom('germline', 'tumor', 'normal', 'control'),
  controlMaterial: maybe(words),
  pair: maybe(name),
  cnvNormal: fc.boolean(),
  tumorContent: maybe(fc.nat(10_000).map((n) => n / 100)),
  well: maybe(name),
  i7: maybe(name),
  i5: maybe(name),
  files: fc.array(file, { maxLength: 4 }),
});

test('samples read back from samples.tsv equal those written', () => {
  fc.assert(
    fc.property(fc.array(sample), (samples) => {
      expect(decodeSamples(encodeSamples(samples))).toEqual(samples);
    }),
  );
});

test('a sample read back from the spec has every field that the spec contains', () => {
  fc.assert(
    fc.property(sample, (written) => {
      const { controlMaterial: _, pair, ...kept } = written;
      const pairs = pair ? [{ name: pair, tumor: written.name, normal: '' }] : [];
      expect(fromSpecSample(toSpecSample(written), pairs)).toEqual({
        ...kept,
        pair,
        files: written.files.map(({ name: file, read, lane }) => ({ name: file, read, lane })),
      });
    }),
  );
});

const ONE: Sample = {
  name: 'T1',
  libraryId: 'L\t1',
  qcType: 'Sample',
  role: 'tumor',
  pair: 'p1,p2',
  cnvNormal: false,
  tumorContent: 0,
  i7: 'D701',
  files: [{ name: 'a.bam', path: 'projects/g/p/a.bam', read: 'bam', size: 7, sha256: 'ff' }],
};

test('samples.tsv has one line for each sample, a dot for no value and files as JSON', () => {
  expect(encodeSamples([ONE])).toBe(
    'index\tsample\tlibrary_id\tqc_type\trole\tcontrol_material\tpair\tcnv_normal\ttumor_content\twell\ti7\ti5\tfiles\n' +
      '0\tT1\tL 1\tSample\ttumor\t.\tp1,p2\t0\t0\t.\tD701\t.\t' +
      '[{"name":"a.bam","path":"projects/g/p/a.bam","read":"bam","size":7,"sha256":"ff"}]\n',
  );
});

test('columns are found by name, and a missing one is reported with its line', () => {
  const text = '#sample\tfiles\tlibrary_id\tcnv_normal\nA\t[]\t.\tyes\n';
  expect(decodeSamples(text)).toMatchObject([{ name: 'A', libraryId: 'A', role: 'germline', cnvNormal: true }]);
  expect(() => decodeSamples('sample\tfiles\n')).toThrow('has no column library_id');
  expect(() => decodeSamples('sample\tlibrary_id\tfiles\n.\tL\t[]\n')).toThrow(
    expect.objectContaining({ line: 2, message: 'has no sample name' }),
  );
});

test('a spec without role and pairs describes a germline sample with no pair', () => {
  expect(fromSpecSample({ name: 'A', libraryId: 'L', files: [{ name: 'a.fq' }] }, undefined)).toEqual({
    name: 'A',
    libraryId: 'L',
    qcType: 'Sample',
    role: 'germline',
    cnvNormal: false,
    files: [{ name: 'a.fq' }],
  });
});
