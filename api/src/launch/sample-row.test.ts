import type { Sample } from '@seqpanel/crds/sample.ts';
import { fromSampleRow, SAMPLE_COLUMNS, toSampleRow } from './sample-row.ts';

const bare: Sample = {
  name: 'S1',
  libraryId: 'L1',
  qcType: 'Sample',
  role: 'germline',
  cnvNormal: false,
  files: [{ name: 'a.fq', path: 'projects/g/p/a.fq', read: 'R1', size: 1, sha256: 'ff' }],
};
const full: Sample = {
  ...bare,
  qcType: 'PosCtrl',
  role: 'control',
  controlMaterial: 'HD701',
  pair: 'p1',
  cnvNormal: true,
  tumorContent: 0,
  well: 'A01',
  i7: 'D701',
  i5: 'D501',
  files: [{ ...bare.files[0]!, lane: 'L001' }],
};

test.each([
  ['no optional field', bare],
  ['every field', full],
])('a row gives back a sample with %s', (_what, sample) => {
  expect(fromSampleRow(toSampleRow(sample))).toEqual(sample);
});

test('a row has every column, including the lanes of the files, with null for a missing value', () => {
  const row = toSampleRow(bare);
  expect(Object.keys(row).sort()).toEqual([...SAMPLE_COLUMNS].sort());
  expect(row).toMatchObject({ tumor_content: null, pair: null, files: [{ name: 'a.fq', lane: null }] });
});
