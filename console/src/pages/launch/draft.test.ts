import { describe, expect, test } from '@jest/globals';
import { emptyDraft, withFiles, withoutSample, withSample } from './draft.ts';
import { suggestedPairs, withPair } from './draft-pairs.ts';
import { fromRequest, toRequest } from './draft-request.ts';
import { readStored } from './use-draft.ts';

const FILES = [
  'T1_S1_L001_R1_001.fastq.gz',
  'T1_S1_L001_R2_001.fastq.gz',
  'N1_S2_L001_R1_001.fastq.gz',
  'N1_S2_L001_R2_001.fastq.gz',
  'NTC_S3_L001_R1_001.fastq.gz',
  'NTC_S3_L001_R2_001.fastq.gz',
];
const chosen = () => withFiles({ ...emptyDraft('key'), project: 'p', panel: 'x' }, FILES, counted());
/** Ids in the order of the samples: #1, #2, ... */
const counted = () => {
  let last = 0;
  return () => `#${++last}`;
};
const [N1, NTC, T1] = ['#1', '#2', '#3'] as const;

describe('the wizard draft', () => {
  test('[LAUNCH-12] [LAUNCH-13] selected files are grouped into samples by name, with a suggested library ID and type', () => {
    const draft = chosen();
    expect(
      draft.samples.map((sample) => [sample.name, sample.libraryId, sample.qcType, sample.role, sample.files.length]),
    ).toEqual([
      ['N1', 'N1', 'Sample', 'normal', 2],
      ['NTC', 'NTC', 'NTC', 'control', 2],
      ['T1', 'T1', 'Sample', 'tumor', 2],
    ]);
  });

  test('selecting more files keeps typed values', () => {
    const typed = withSample(chosen(), T1, { name: 'Patient7', tumorContent: '40' });
    const more = withFiles(typed, [...FILES, 'X_S4_L001_R1_001.fastq.gz']);
    expect(more.samples.map((sample) => sample.name)).toEqual(['N1', 'NTC', 'Patient7', 'X']);
    expect(more.samples[2]!.tumorContent).toBe('40');
  });

  test('[LAUNCH-28] [LAUNCH-30] a tumor is paired with a normal by name, and selecting none removes the pair', () => {
    const paired = withPair(chosen(), T1, N1);
    expect(paired.pairs).toEqual([{ name: 'T1', tumor: T1, normal: N1 }]);
    expect(withPair(paired, T1, '').pairs).toEqual([]);
  });

  test('a renamed sample keeps its pair; a sample that is no longer a tumor loses it', () => {
    const paired = withPair(chosen(), T1, N1);
    expect(toRequest(withSample(paired, T1, { name: 'T9' })).pairs).toEqual([
      { name: 'T1', tumor: 'T9', normal: 'N1' },
    ]);
    expect(withSample(paired, T1, { role: 'germline' }).pairs).toEqual([]);
  });

  test('[LAUNCH-28] typing a name that is for a moment that of another sample neither moves nor drops a pair', () => {
    let draft = withPair(chosen(), T1, N1);
    for (const name of ['N', 'N1', 'N12']) draft = withSample(draft, NTC, { name, role: 'normal' });
    expect(toRequest(draft).pairs).toEqual([{ name: 'T1', tumor: 'T1', normal: 'N1' }]);
    for (const name of ['T', 'T1', 'T12']) draft = withSample(draft, NTC, { name, role: 'germline' });
    expect(toRequest(draft).pairs).toEqual([{ name: 'T1', tumor: 'T1', normal: 'N1' }]);
    for (const name of ['N1', 'N']) draft = withSample(draft, T1, { name });
    expect(toRequest(draft).pairs).toEqual([{ name: 'T1', tumor: 'N', normal: 'N1' }]);
  });

  test('[LAUNCH-28] removing a sample removes its pair, and a sample of the same name keeps its own', () => {
    const twins = withSample(withPair(chosen(), T1, N1), NTC, { name: 'N1', role: 'normal' });
    expect(withoutSample(twins, NTC).pairs).toEqual([{ name: 'T1', tumor: T1, normal: N1 }]);
    expect(withoutSample(twins, N1).pairs).toEqual([]);
  });

  test('pairs are suggested by name, except for a name of two samples', () => {
    expect(suggestedPairs(chosen())).toEqual([{ tumor: T1, normal: N1 }]);
    expect(suggestedPairs(withPair(chosen(), T1, N1))).toEqual([]);
    expect(suggestedPairs(withSample(chosen(), NTC, { name: 'N1' }))).toEqual([]);
  });

  test('[LAUNCH-31] [LAUNCH-32] CNV normal and skipped are sent in the request and can be unset', () => {
    const marked = withSample(withSample(chosen(), N1, { cnvNormal: true }), NTC, { skipped: true });
    const sent = toRequest(marked).samples;
    expect(sent.find((sample) => sample.name === 'N1')!.cnv_normal).toBe(true);
    expect(sent.find((sample) => sample.name === 'NTC')!.skipped).toBe(true);
    expect(toRequest(withSample(marked, NTC, { skipped: false })).samples.every((sample) => !sample.skipped)).toBe(
      true,
    );
  });

  test('a pair with a skipped sample is not sent', () => {
    const paired = withPair(chosen(), T1, N1);
    expect(toRequest(withSample(paired, N1, { skipped: true })).pairs).toEqual([]);
  });

  test('[TASK-18] an earlier definition fills the wizard unchanged', () => {
    const draft = {
      ...withPair(withSample(chosen(), T1, { tumorContent: '12.5' }), T1, N1),
      runName: 'run',
      notify: 'a@b.org',
    };
    expect(fromRequest(toRequest(draft), draft.key, counted())).toEqual(draft);
  });

  test('a draft stored by an earlier version, whose pairs contain sample names, is read with its pairs', () => {
    const { pairs: _pairs, ...draft } = chosen();
    const samples = draft.samples.map(({ id: _id, ...sample }) => sample);
    const stored = JSON.stringify({ ...draft, samples, pairs: [{ name: 'p', tumor: 'T1', normal: 'N1' }] });
    expect(readStored(stored, counted())).toEqual({ ...chosen(), pairs: [{ name: 'p', tumor: T1, normal: N1 }] });
    const now = withPair(chosen(), T1, N1);
    expect(readStored(JSON.stringify(now), counted())).toEqual(now);
    expect(readStored(null)).toBeUndefined();
  });
});
