import { describe, expect, test } from '@jest/globals';
import {
  cappedValueProblem,
  copyGainProblem,
  copyLossProblem,
  geneSymbolProblem,
  maxProblem,
  nmNumberProblem,
  numberProblem,
  sequenceProblem,
  variantNameProblem,
} from './field-rules.ts';
import type { PanelFile, ParameterDefinition } from './panel.ts';
import type { Preset, RoiRow } from './preset.ts';
import { defaultPreset } from './preset-default.ts';
import { presetNameProblem, presetProblems } from './preset-rules.ts';

const numeric = (key: string, min: number, max: number): ParameterDefinition => ({
  key,
  type: 'number',
  min,
  max,
  default: min,
  step: 'call',
  help: { en: '', zh: '' },
});

const PANEL: PanelFile = {
  schema_version: 1,
  value: 'p',
  displayName: 'P',
  version: '1',
  genome: { value: 'g', contigs: [{ name: '1', length: 100_000 }] },
  chemistry: 'amplicon',
  analysisTypes: ['germline'],
  bamAllowed: true,
  amplicons: [
    { name: 'A1', chrom: '1', start: 101, end: 300, insert: { start: 121, end: 280 } },
    { name: 'LONG', chrom: '1', start: 1, end: 90_000, insert: { start: 1, end: 90_000 } },
  ],
  parameters: [numeric('depth', 1, 100), numeric('cnv_min', 0, 10), numeric('cnv_max', 0, 10)],
};

const aPreset = (change: Partial<Preset> = {}): Preset => ({
  ...defaultPreset(PANEL, 'panel-1.0.0', 'mine'),
  ...change,
});
const codes = (change: Partial<Preset>, panel = PANEL) =>
  presetProblems(aPreset(change), panel).map(({ field, code }) => [field, code]);
const withRow = (row: Partial<RoiRow>) =>
  codes({ roi: { useDefault: false, rows: [{ amplicon: 'A1', start: 121, end: 280, ...row }] } });
const withValues = (values: Preset['parameters']['values']) => codes({ parameters: { useDefault: false, values } });

test('the default of a panel has no problems', () => expect(codes({})).toEqual([]));

test.each([
  ['[PRESET-06] an empty name', '', 'preset_name_required'],
  ['[PRESET-07] a name that begins with a digit', '1a', 'preset_name_start'],
  ['[PRESET-07] a name that begins with a hyphen', '-a', 'preset_name_start'],
  ['[PRESET-07] a name that begins with an underscore', '_a', undefined],
  ['[PRESET-08] a name with a dot', 'a.b', 'preset_name_characters'],
  ['[PRESET-08] a name of letters, digits, hyphen and underscore', 'aB1-_', undefined],
])('%s', (_title, name, code) => expect(presetNameProblem(name)?.code).toBe(code));

describe('the ROI grid', () => {
  const row = 'roi.rows[0]';
  test.each<[string, Partial<RoiRow>, string[][]]>([
    [
      '[ROI-04] start greater than end is rejected',
      { start: 200, end: 199 },
      [[`${row}.start`, 'roi_start_after_end']],
    ],
    ['[ROI-04] start equal to end is accepted', { start: 200, end: 200 }, []],
    ['[ROI-05] 35,000 bases are accepted', { amplicon: 'LONG', start: 1, end: 35_000 }, []],
    ['[ROI-05] 35,001 bases are rejected', { amplicon: 'LONG', start: 1, end: 35_001 }, [[row, 'roi_span']]],
    [
      '[ROI-06] a location with a blank field is rejected',
      { location: { chrom: '1', start: 130 } as never },
      [[`${row}.location`, 'roi_location_partial']],
    ],
    ['[ROI-06] a blank location counts as none', { location: { chrom: '', start: null, end: null } as never }, []],
    [
      '[ROI-07] a location with start greater than end is rejected',
      { location: { chrom: '1', start: 140, end: 139 } },
      [[`${row}.location`, 'roi_location_start_after_end']],
    ],
    ['[ROI-03] a location inside the range is accepted', { location: { chrom: '1', start: 140, end: 150 } }, []],
    [
      'a location outside the range is rejected',
      { start: 130, end: 200, location: { chrom: '1', start: 120, end: 150 } },
      [[`${row}.location`, 'roi_outside_insert']],
    ],
    ['an unknown amplicon is rejected', { amplicon: 'B' }, [[`${row}.amplicon`, 'roi_amplicon_unknown']]],
    ['a range outside the insert is rejected', { start: 120 }, [[row, 'roi_outside_insert']]],
    ['[PRESET-19] a blank field is rejected', { end: null as never }, [[`${row}.end`, 'field_required']]],
    ['[PRESET-22] a fraction is rejected', { start: 130.5 }, [[`${row}.start`, 'integer_invalid']]],
  ])('%s', (_title, change, expected) => expect(withRow(change)).toEqual(expected));

  test('without rows is rejected unless the default is used', () => {
    expect(codes({ roi: { useDefault: false, rows: [] } })).toEqual([['roi', 'preset_roi_blank']]);
    expect(codes({ roi: { useDefault: true, rows: [] } })).toEqual([]);
  });

  test('[ROI-08] a panel without ROI data is rejected', () => {
    expect(codes({}, { ...PANEL, amplicons: [] })).toEqual([['roi', 'roi_required']]);
  });
});

describe('parameters', () => {
  test.each<[string, Preset['parameters']['values'], string[]]>([
    ['[PRESET-23] below the minimum', { depth: 0 }, ['number_min']],
    ['[PRESET-23] above the maximum', { depth: 101 }, ['number_max']],
    ['[PRESET-22] a text for a number', { depth: 'x' }, ['number_invalid']],
    ['[PRESET-19] blank', { depth: null as never }, ['field_required']],
    ['that no step reads', { other: 1 }, ['parameter_unknown']],
    ['a maximum that is not greater', { cnv_min: 2, cnv_max: 2 }, ['max_not_greater']],
    ['a maximum that is greater', { cnv_min: 2, cnv_max: 2.1 }, []],
    ['within their limits', { depth: 100 }, []],
  ])('%s', (_title, values, expected) => expect(withValues(values).map(([, code]) => code)).toEqual(expected));

  test('with use-default on, values are not checked', () => {
    expect(codes({ parameters: { useDefault: true, values: { depth: 0 } } })).toEqual([]);
  });

  test('[PRESET-23] the message names the limit', () => {
    const [problem] = presetProblems(aPreset({ parameters: { useDefault: false, values: { depth: 101 } } }), PANEL);
    expect(problem!.message).toBe('The value must be at most 100.');
  });
});

describe('filters and QC', () => {
  const condition = { field: 'vaf', operator: '>=', value: 0.1, missingPasses: false } as const;
  const filters = (group: string, name: string, conditions: unknown[]) =>
    codes({
      postFilter: {
        useDefault: false,
        groups: [{ name: group, filters: [{ name, conditions: conditions as never }] }],
      },
    });

  test('[PRESET-11] names of 31 characters are accepted, of 32 rejected', () => {
    expect(filters('g'.repeat(31), 'f'.repeat(31), [condition])).toEqual([]);
    expect(filters('g'.repeat(32), 'f', [condition])).toEqual([['postFilter.groups[0].name', 'group_name_too_long']]);
    expect(filters('g', 'f'.repeat(32), [condition])).toEqual([
      ['postFilter.groups[0].filters[0].name', 'group_name_too_long'],
    ]);
  });

  test('[PRESET-12] incomplete filters are rejected', () => {
    expect(filters('', 'f', [condition]).length).toBe(1);
    expect(filters('g', '', [condition]).length).toBe(1);
    expect(filters('g', 'f', []).length).toBe(1);
    expect(filters('g', 'f', [{ ...condition, value: '' }]).length).toBe(1);
    expect(filters('g', 'f', [{ ...condition, field: '' }]).length).toBe(1);
    expect(filters('g', 'f', [{ ...condition, operator: 'in', value: [] }]).length).toBe(1);
    expect(codes({ postFilter: { useDefault: false, groups: [{ name: 'g', filters: [] }] } }).length).toBe(1);
    const qc = (metric: string, value: number | null) =>
      codes({
        qc: {
          useDefault: false,
          skip: false,
          conditions: [{ metric, operator: '>=', value: value as number, action: 'fail' }],
        },
      });
    expect(qc('', 1).length).toBe(1);
    expect(qc('mean_depth', null).length).toBe(1);
    expect(qc('mean_depth', 1)).toEqual([]);
  });
});

test('[PRESET-16] a copy gain below 1 is rejected, 1 is accepted', () => {
  expect([0.99, 1].map((value) => copyGainProblem(value)?.code)).toEqual(['copy_gain_invalid', undefined]);
});
test('[PRESET-17] a copy loss of 0, below 0 or above 1 is rejected, 1 is accepted', () => {
  const bad = 'copy_loss_invalid';
  expect([0, -1, 1.01, 1, 0.01].map((value) => copyLossProblem(value)?.code)).toEqual([
    bad,
    bad,
    bad,
    undefined,
    undefined,
  ]);
});
test('a capped value is greater than 0 and at most 1000', () => {
  expect([0, -1, 1000.1, 1000, 0.1].map((value) => cappedValueProblem(value) === undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});
test('a maximum must be greater than the minimum', () => {
  expect([maxProblem(1, 1)?.code, maxProblem(1, 2)]).toEqual(['max_not_greater', undefined]);
});
test('a sequence field accepts one of A, C, G, T', () => {
  expect(['A', 'C', 'G', 'T', 'N', 'a', 'AC', ''].map((text) => sequenceProblem(text)?.code)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    'sequence_invalid',
    'sequence_invalid',
    'sequence_invalid',
    'field_required',
  ]);
});
test('[PRESET-22] a number field rejects text, an integer field a fraction', () => {
  expect(['x', '1.5', 1.5, '', '7'].map((input) => numberProblem(input, { integer: true })?.code)).toEqual([
    'integer_invalid',
    'integer_invalid',
    'integer_invalid',
    'field_required',
    undefined,
  ]);
  expect(['x', '1.5', Number.NaN].map((input) => numberProblem(input)?.code)).toEqual([
    'number_invalid',
    undefined,
    'number_invalid',
  ]);
});
test('[PRESET-26] names of bisulfite targets and CpG sites may have letters, digits, hyphen, underscore and period only', () => {
  const named = (name: string) =>
    codes({
      bisulfiteTargets: { useDefault: false, rows: [{ name, chrom: '1', start: 1, end: 2 }] },
      cpgSites: { useDefault: false, rows: [{ name, chrom: '1', pos: 1 }] },
    });
  expect(named('c.35del-1_2')).toEqual([]);
  expect(named('c.35G>A')).toEqual([
    ['bisulfiteTargets.rows[0].name', 'variant_name_invalid'],
    ['cpgSites.rows[0].name', 'variant_name_invalid'],
  ]);
});
test('gene symbols, NM numbers and variant names allow their characters only', () => {
  expect(['TP53', 'HLA-A'].map((text) => geneSymbolProblem(text)?.code)).toEqual([undefined, 'gene_symbol_invalid']);
  expect(['NM_000546', 'NM_000546.6'].map((text) => nmNumberProblem(text)?.code)).toEqual([
    undefined,
    'nm_number_invalid',
  ]);
  expect(['c.35del-1_2', 'c.35G>A'].map((text) => variantNameProblem(text)?.code)).toEqual([
    undefined,
    'variant_name_invalid',
  ]);
});
