import { fromLaunchSample, toLaunchSample } from './launch-sample.ts';
import type { Sample, SampleFile } from './sample.ts';

const SAMPLE: Sample<SampleFile> = {
  name: 'T1',
  libraryId: 'L1',
  qcType: 'Sample',
  role: 'tumor',
  controlMaterial: 'HD701',
  cnvNormal: true,
  tumorContent: 0,
  well: 'A01',
  i7: 'D701',
  i5: 'D501',
  files: [{ name: 'T1_R2.fastq', read: 'R2', lane: 'L003' }],
};

test('a sample read back from a launch has every field', () => {
  expect(fromLaunchSample(toLaunchSample(SAMPLE))).toEqual(SAMPLE);
});

test('a sample with only the required fields is read back unchanged', () => {
  const bare: Sample<SampleFile> = {
    name: 'S',
    libraryId: 'L',
    qcType: 'NTC',
    role: 'control',
    cnvNormal: false,
    files: [{ name: 'S.bam', read: 'bam' }],
  };
  expect(fromLaunchSample(toLaunchSample(bare))).toEqual(bare);
});

test('read and lane come from the file name unless the launch sets them', () => {
  const files = [{ name: 'S_L002_R1.fastq' }, { name: 'S_L002_R2.fastq', read: null, lane: null }];
  expect(fromLaunchSample({ name: 'S', library_id: 'L', files })).toEqual({
    name: 'S',
    libraryId: 'L',
    qcType: 'Sample',
    role: 'germline',
    cnvNormal: false,
    files: [
      { name: 'S_L002_R1.fastq', read: 'R1', lane: 'L002' },
      { name: 'S_L002_R2.fastq', read: 'R2', lane: 'L002' },
    ],
  });
});

test.each([
  [null, undefined],
  ['', undefined],
  ['12.5', 12.5],
  [0, 0],
])('the tumor content %j is %j', (given, content) => {
  expect(fromLaunchSample({ name: 'S', library_id: 'L', files: [], tumor_content: given }).tumorContent).toBe(content);
});
