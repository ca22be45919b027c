import {
  type LaunchInput,
  type LaunchSampleInput,
  launchProblems,
  splitEmails,
  tumorContentProblem,
} from './launch-rules.ts';
import { definitionNameProblem } from './names.ts';
import { suggestPairs } from './pairing.ts';

const aSample = (name: string, more: Partial<LaunchSampleInput> = {}): LaunchSampleInput => ({
  name,
  library_id: name,
  files: [{ name: `${name}_R1.fastq.gz` }, { name: `${name}_R2.fastq.gz` }],
  ...more,
});
const aLaunch = (more: Partial<LaunchInput> = {}): LaunchInput => ({
  name: 'run-1',
  project: 'p',
  panel: 'panel',
  samples: [aSample('S1')],
  ...more,
});
const panels = new Map([
  ['panel', { bamAllowed: false, launchable: true, name: 'Myeloid' }],
  ['off', { bamAllowed: true, launchable: false, name: 'Old' }],
]);
const codes = (more: Partial<LaunchInput>, world = {}): string[] =>
  launchProblems(aLaunch(more), world).map(({ code }) => code);

describe('launch rules', () => {
  test('a plain launch has no problems', () => {
    expect(codes({})).toEqual([]);
  });
  test('[LAUNCH-24] [ERR-63] a repeated sample name is rejected with its message', () => {
    const problems = launchProblems(aLaunch({ samples: [aSample('S1'), aSample('s1')] }));
    expect(problems).toEqual([
      { code: 'sample_name_exists', message: 'The sample name has existed!', sample: 's1', index: 1, field: 'name' },
    ]);
  });
  test.each(['system', 'Log', 'COMMON', 'undetermined'])('[LAUNCH-25] the reserved name %s is rejected', (name) => {
    expect(codes({ samples: [aSample(name)] })).toEqual(['sample_name_reserved']);
  });
  test('[LAUNCH-23] [ERR-64] a sample name with a space is rejected and the message names what is allowed', () => {
    const [problem] = launchProblems(aLaunch({ samples: [aSample('A 1')] }));
    expect(problem).toMatchObject({ code: 'sample_name_invalid', field: 'name' });
    expect(problem!.message).toMatch(/letters, numbers, dashes and underscores/);
  });
  test('[LAUNCH-21] [LAUNCH-22] empty sample names and library IDs are rejected', () => {
    expect(codes({ samples: [aSample('', { library_id: ' ', files: [{ name: 'a.fq' }] })] })).toEqual([
      'sample_name_required',
      'library_id_required',
    ]);
  });
  test('[LAUNCH-35] a run name with a space is rejected', () => {
    expect(codes({ name: 'run 1' })).toEqual(['run_name_characters']);
    expect(codes({ name: '' })).toEqual(['run_name_required']);
  });
  test('a blank definition name, one that starts with a dash and one with a space are rejected', () => {
    expect(definitionNameProblem(' ')).toBe('definition_name_required');
    expect(definitionNameProblem('-a')).toBe('definition_name_start');
    expect(definitionNameProblem('a b')).toBe('definition_name_characters');
    expect(definitionNameProblem('_a-1')).toBeUndefined();
  });
  test('[LAUNCH-39] an invalid notification address is rejected', () => {
    expect(splitEmails('a@b.org, c@d.org,')).toEqual(['a@b.org', 'c@d.org']);
    expect(codes({ notify: ['a@b.org', 'nobody'] })).toEqual(['notify_email_invalid']);
  });
  test('[LAUNCH-26] tumor content is a number from 0 to 100', () => {
    for (const good of [0, 100, '33.33']) expect(tumorContentProblem(good)).toBeUndefined();
    for (const bad of [-1, 100.5, 'x', '1e1']) expect(tumorContentProblem(bad)).toBe('tumor_content_invalid');
  });
  test('[LAUNCH-27] tumor content has at most 2 decimals', () => {
    expect(tumorContentProblem('33.333')).toBe('tumor_content_decimals');
  });
  test('[LAUNCH-15] [LAUNCH-34] [ERR-65] a sample without files, and a launch without samples, are rejected', () => {
    const [problem] = launchProblems(aLaunch({ samples: [aSample('S1', { files: [] })] }));
    expect(problem).toMatchObject({ code: 'sample_files_required', sample: 'S1' });
    expect(problem!.message).toMatch(/^Please choose some sample files\./);
    expect(launchProblems(aLaunch({ samples: [] }))[0]!.message).toBe('Please choose some sample files.');
  });
  test('[LAUNCH-32] a skipped sample is not checked', () => {
    expect(codes({ samples: [aSample('S1'), aSample('bad name', { skipped: true })] })).toEqual([]);
  });
  test('[LAUNCH-16] BAM and FASTQ cannot be mixed in a sample or in a run', () => {
    expect(codes({ samples: [aSample('S1', { files: [{ name: 'a.fastq.gz' }, { name: 'a.bam' }] })] })).toContain(
      'file_types_mixed',
    );
    expect(codes({ samples: [aSample('S1'), aSample('S2', { files: [{ name: 'b.bam' }] })] })).toEqual([
      'file_types_mixed',
    ]);
  });
  test('[LAUNCH-17] BAM is rejected for a panel that does not support it', () => {
    const problems = launchProblems(aLaunch({ samples: [aSample('S1', { files: [{ name: 'b.bam' }] })] }), { panels });
    expect(problems.map(({ code }) => code)).toEqual(['bam_not_supported']);
    expect(problems[0]!.message).toContain('Myeloid');
  });
  test('[LAUNCH-18] a lone .bam.bai is rejected', () => {
    expect(codes({ samples: [aSample('S1', { files: [{ name: 'b.bam.bai' }] })] })).toEqual(['bai_without_bam']);
  });
  test('[LAUNCH-14] files of a second project are rejected with the specified text', () => {
    const problems = launchProblems(aLaunch({ samples: [aSample('S1', { files: [{ name: 'a.fq', project: 'q' }] })] }));
    expect(problems[0]!.message).toBe('Only accept one project for each task.');
  });
  test('a file that is not in the project is reported by name', () => {
    const files = new Set(['S1_R1.fastq.gz']);
    expect(launchProblems(aLaunch(), { files })).toMatchObject([
      { code: 'launch_file_unknown', message: 'S1_R2.fastq.gz is not in the project.' },
    ]);
  });
  test('[LAUNCH-08] a launch without a panel is rejected, and one with an inactive panel too', () => {
    expect(codes({ panel: null })).toEqual(['panel_required']);
    expect(codes({ panel: 'off' }, { panels })).toEqual(['panel_not_launchable']);
    expect(codes({ panel: 'nope' }, { panels })).toEqual(['panel_unknown']);
  });
  test('[LAUNCH-29] a repeated pair name is rejected with its message', () => {
    const samples = [
      aSample('T1', { role: 'tumor' }),
      aSample('T2', { role: 'tumor' }),
      aSample('N', { role: 'normal' }),
    ];
    const pairs = [
      { name: 'P', tumor: 'T1', normal: 'N' },
      { name: 'P', tumor: 'T2', normal: 'N' },
    ];
    const problems = launchProblems(aLaunch({ samples, pairs }));
    expect(problems.map(({ message }) => message)).toEqual(['This pair name already exists!']);
  });
  test('[LAUNCH-28] a pair joins a tumor and a normal of the run', () => {
    const samples = [aSample('T', { role: 'tumor' }), aSample('N', { role: 'normal' }), aSample('G')];
    expect(codes({ samples, pairs: [{ name: 'P', tumor: 'T', normal: 'N' }] })).toEqual([]);
    expect(codes({ samples, pairs: [{ name: 'P', tumor: 'T', normal: 'G' }] })).toEqual(['pair_role']);
    expect(codes({ samples, pairs: [{ name: 'P', tumor: 'T', normal: 'X' }] })).toEqual(['pair_sample_unknown']);
  });
  test('a missing mate in one lane is reported with its file', () => {
    const files = [{ name: 'S1_L001_R1.fq' }, { name: 'S1_L001_R2.fq' }, { name: 'S1_L002_R1.fq' }];
    const [problem] = launchProblems(aLaunch({ samples: [aSample('S1', { files })] }));
    expect(problem).toMatchObject({
      code: 'mate_missing',
      message: 'S1_L002_R1.fq has no mate file in its lane. Add the mate, or remove this file.',
    });
  });
  test('names suggest pairs', () => {
    expect(suggestPairs(['P1_T', 'P2-tumor', 'X_T'], ['P1_N', 'P2-normal'])).toEqual([
      { name: 'p1', tumor: 'P1_T', normal: 'P1_N' },
      { name: 'p2', tumor: 'P2-tumor', normal: 'P2-normal' },
    ]);
  });
});
