import { describe, expect, test } from '@jest/globals';
import { emptyDraft, fromRequest, toRequest, withFiles, withPair, withSample } from './draft.ts';

const FILES = [
  'T1_S1_L001_R1_001.fastq.gz',
  'T1_S1_L001_R2_001.fastq.gz',
  'N1_S2_L001_R1_001.fastq.gz',
  'N1_S2_L001_R2_001.fastq.gz',
  'NTC_S3_L001_R1_001.fastq.gz',
  'NTC_S3_L001_R2_001.fastq.gz',
];
const chosen = () => withFiles({ ...emptyDraft('key'), project: 'p', panel: 'x' }, FILES);
const at = (name: string, draft = chosen()) => draft.samples.findIndex((sample) => sample.name === name);

describe('the wizard draft', () => {
  test('[LAUNCH-12] [LAUNCH-13] chosen files become samples by their names, with library ID and type suggested', () => {
    const draft = chosen();
    expect(
      draft.samples.map((sample) => [sample.name, sample.libraryId, sample.qcType, sample.role, sample.files.length]),
    ).toEqual([
      ['N1', 'N1', 'Sample', 'normal', 2],
      ['NTC', 'NTC', 'NTC', 'control', 2],
      ['T1', 'T1', 'Sample', 'tumor', 2],
    ]);
  });

  test('choosing more files keeps what was typed', () => {
    const typed = withSample(chosen(), at('T1'), { name: 'Patient7', tumorContent: '40' });
    const more = withFiles(typed, [...FILES, 'X_S4_L001_R1_001.fastq.gz']);
    expect(more.samples.map((sample) => sample.name)).toEqual(['N1', 'NTC', 'Patient7', 'X']);
    expect(more.samples[2]!.tumorContent).toBe('40');
  });

  test('[LAUNCH-28] [LAUNCH-30] a tumor is paired with a normal by name, and choosing none undoes it', () => {
    const paired = withPair(chosen(), 'T1', 'N1');
    expect(paired.pairs).toEqual([{ name: 'T1', tumor: 'T1', normal: 'N1' }]);
    expect(withPair(paired, 'T1', '').pairs).toEqual([]);
  });

  test('a renamed sample keeps its pair; one that is no tumor any more loses it', () => {
    const paired = withPair(chosen(), 'T1', 'N1');
    expect(withSample(paired, at('T1'), { name: 'T9' }).pairs[0]!.tumor).toBe('T9');
    expect(withSample(paired, at('T1'), { role: 'germline' }).pairs).toEqual([]);
  });

  test('[LAUNCH-31] [LAUNCH-32] CNV normal and skipped go into the request and can be taken back', () => {
    const marked = withSample(withSample(chosen(), at('N1'), { cnvNormal: true }), at('NTC'), { skipped: true });
    const sent = toRequest(marked).samples;
    expect(sent.find((sample) => sample.name === 'N1')!.cnv_normal).toBe(true);
    expect(sent.find((sample) => sample.name === 'NTC')!.skipped).toBe(true);
    expect(
      toRequest(withSample(marked, at('NTC'), { skipped: false })).samples.every((sample) => !sample.skipped),
    ).toBe(true);
  });

  test('a pair with a skipped sample is not sent', () => {
    const paired = withPair(chosen(), 'T1', 'N1');
    expect(toRequest(withSample(paired, at('N1'), { skipped: true })).pairs).toEqual([]);
  });

  test('[TASK-18] an earlier definition fills the wizard as it was', () => {
    const draft = {
      ...withPair(withSample(chosen(), at('T1'), { tumorContent: '12.5' }), 'T1', 'N1'),
      runName: 'run',
      notify: 'a@b.org',
    };
    expect(fromRequest(toRequest(draft), draft.key)).toEqual(draft);
  });
});
