/** Rules for parameters files, used by the form, the save and the launch. Pure. */

import type { Condition, ConditionGroup } from './conditions/ast.ts';
import { conditionProblem } from './conditions/condition-rules.ts';
import {
  copyGainProblem,
  copyLossProblem,
  FILTER_NAME_MAX,
  type FieldProblem,
  maxProblem,
  parameterValueProblem,
  variantNameProblem,
} from './field-rules.ts';
import { formatMessage, type MessageCode } from './messages.ts';
import type { Amplicon, PanelFile } from './panel.ts';
import type { Preset, RoiRow } from './preset.ts';
import { MAX_AMPLICON_SPAN } from './roi.ts';

export interface PresetProblem {
  /** Path such as `roi.rows[3].start`. */
  field: string;
  code: MessageCode;
  message: string;
  /** Values of the code's text. */
  values?: Record<string, unknown>;
}

/** Our own limit, long enough for the name of a resource or file. */
export const PRESET_NAME_MAX = 150;

const problem = (field: string, code: MessageCode, values?: Record<string, unknown>): PresetProblem => ({
  field,
  code,
  message: formatMessage(code, values),
  ...(values && { values }),
});
const from = (field: string, found: FieldProblem | undefined): PresetProblem[] =>
  found ? [problem(field, found.code, found.values)] : [];
const blank = (value: unknown): boolean => value === undefined || value === null || value === '';

export function presetNameProblem(name: string): FieldProblem | undefined {
  if (name.trim() === '') return { code: 'preset_name_required' };
  if (!/^[A-Za-z_]/.test(name)) return { code: 'preset_name_start' };
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return { code: 'preset_name_characters' };
  return name.length > PRESET_NAME_MAX ? { code: 'name_too_long', values: { max: PRESET_NAME_MAX } } : undefined;
}

/** Checks one row of the ROI grid against a panel's amplicons. Returns the first broken rule of each field. */
export function roiRowProblems(row: RoiRow, field: string, amplicons: ReadonlyMap<string, Amplicon>): PresetProblem[] {
  const { amplicon: name, start, end } = row;
  for (const key of ['amplicon', 'start', 'end'] as const) {
    if (blank(row[key])) return [problem(`${field}.${key}`, 'field_required')];
  }
  for (const key of ['start', 'end'] as const) {
    if (!Number.isInteger(row[key])) return [problem(`${field}.${key}`, 'integer_invalid')];
    if (row[key] < 1) return [problem(`${field}.${key}`, 'number_min', { min: 1 })];
  }
  if (start > end) return [problem(`${field}.start`, 'roi_start_after_end')];
  if (end - start + 1 > MAX_AMPLICON_SPAN) return [problem(field, 'roi_span')];
  const amplicon = amplicons.get(name);
  if (!amplicon) return [problem(`${field}.amplicon`, 'roi_amplicon_unknown', { amplicon: name })];
  const { insert } = amplicon;
  if (start < insert.start || end > insert.end) {
    return [problem(field, 'roi_outside_insert', { amplicon: name, start: insert.start, end: insert.end })];
  }
  return locationProblems(row, `${field}.location`, amplicon);
}

function locationProblems(row: RoiRow, field: string, amplicon: Amplicon): PresetProblem[] {
  const { chrom, start, end } = (row.location ?? {}) as { chrom?: string; start?: number; end?: number };
  const filled = [chrom, start, end].filter((value) => !blank(value)).length;
  if (filled === 0) return [];
  if (filled < 3) return [problem(field, 'roi_location_partial')];
  if (!Number.isInteger(start) || !Number.isInteger(end)) return [problem(field, 'integer_invalid')];
  if (start! > end!) return [problem(field, 'roi_location_start_after_end')];
  if (chrom !== amplicon.chrom || start! < row.start || end! > row.end) {
    return [problem(field, 'roi_outside_insert', { amplicon: row.amplicon, start: row.start, end: row.end })];
  }
  return [];
}

function roiProblems(preset: Preset, panel: PanelFile): PresetProblem[] {
  if (panel.amplicons.length === 0) return [problem('roi', 'roi_required')];
  if (preset.roi.useDefault) return [];
  if (preset.roi.rows.length === 0) return [problem('roi', 'preset_roi_blank')];
  const amplicons = new Map(panel.amplicons.map((amplicon) => [amplicon.name, amplicon]));
  return preset.roi.rows.flatMap((row, i) => roiRowProblems(row, `roi.rows[${i}]`, amplicons));
}

function parameterProblems(preset: Preset, panel: PanelFile): PresetProblem[] {
  const { useDefault, values } = preset.parameters;
  if (useDefault) return [];
  const definitions = new Map(panel.parameters.map((definition) => [definition.key, definition]));
  return Object.entries(values).flatMap(([key, value]) => {
    const field = `parameters.values.${key}`;
    const definition = definitions.get(key);
    if (!definition) return [problem(field, 'parameter_unknown')];
    const own = from(field, parameterValueProblem(definition, value));
    if (own.length > 0 || !key.endsWith('_max')) return own;
    // Two fields that limit one value, such as cnv_min and cnv_max [PRESET-18].
    const min = values[key.replace(/_max$/, '_min')] ?? definitions.get(key.replace(/_max$/, '_min'))?.default;
    return typeof min === 'number' && typeof value === 'number' ? from(field, maxProblem(min, value)) : [];
  });
}

const conditionProblems = (condition: Condition, field: string): PresetProblem[] =>
  from(field, conditionProblem(condition));

function nameProblems(name: string, field: string): PresetProblem[] {
  if (name.trim() === '') return [problem(field, 'filter_incomplete')];
  return name.length > FILTER_NAME_MAX ? [problem(field, 'group_name_too_long')] : [];
}

/** Checks the groups of a post-filter, and those of tertiary filters and reports. */
export function groupProblems(groups: readonly ConditionGroup[], field: string): PresetProblem[] {
  return groups.flatMap((group, i) => {
    const here = `${field}[${i}]`;
    const nothing = group.filters.length === 0 ? [problem(here, 'filter_incomplete')] : [];
    const filters = group.filters.flatMap((filter, j) => {
      const there = `${here}.filters[${j}]`;
      const empty = filter.conditions.length === 0 ? [problem(there, 'filter_incomplete')] : [];
      const conditions = filter.conditions.flatMap((condition, k) =>
        conditionProblems(condition, `${there}.conditions[${k}]`),
      );
      return [...nameProblems(filter.name, `${there}.name`), ...empty, ...conditions];
    });
    return [...nameProblems(group.name, `${here}.name`), ...nothing, ...filters];
  });
}

function qcProblems(preset: Preset): PresetProblem[] {
  if (preset.qc.useDefault || preset.qc.skip) return [];
  return preset.qc.conditions.flatMap(({ metric, value }, i) =>
    metric.trim() === '' || typeof value !== 'number' || !Number.isFinite(value)
      ? [problem(`qc.conditions[${i}]`, 'filter_incomplete')]
      : [],
  );
}

function gridProblems(preset: Preset): PresetProblem[] {
  const targets = preset.bisulfiteTargets.useDefault ? [] : preset.bisulfiteTargets.rows;
  const sites = preset.cpgSites.useDefault ? [] : preset.cpgSites.rows;
  return [
    ...targets.flatMap((row, i) => [
      ...from(`bisulfiteTargets.rows[${i}].name`, variantNameProblem(row.name)),
      ...(row.start > row.end ? [problem(`bisulfiteTargets.rows[${i}].start`, 'roi_start_after_end')] : []),
    ]),
    ...sites.flatMap((row, i) => from(`cpgSites.rows[${i}].name`, variantNameProblem(row.name))),
  ];
}

/** Returns all problems of a panel's parameters file. Skips the parts with use-default on. */
export function presetProblems(preset: Preset, panel: PanelFile): PresetProblem[] {
  return [
    ...from('name', presetNameProblem(preset.name)),
    ...roiProblems(preset, panel),
    ...gridProblems(preset),
    ...parameterProblems(preset, panel),
    ...(preset.postFilter.useDefault ? [] : groupProblems(preset.postFilter.groups, 'postFilter.groups')),
    ...qcProblems(preset),
    ...from('copyGain', copyGainProblem(preset.copyGain)),
    ...from('copyLoss', copyLossProblem(preset.copyLoss)),
  ];
}

/** Returns the preset without the values hidden by use-default. They have no effect and are not checked. */
export function withoutCovered(preset: Preset): Preset {
  const { roi, bisulfiteTargets, cpgSites, parameters, postFilter, qc } = preset;
  return {
    ...preset,
    roi: roi.useDefault ? { ...roi, rows: [] } : roi,
    bisulfiteTargets: bisulfiteTargets.useDefault ? { ...bisulfiteTargets, rows: [] } : bisulfiteTargets,
    cpgSites: cpgSites.useDefault ? { ...cpgSites, rows: [] } : cpgSites,
    parameters: parameters.useDefault ? { ...parameters, values: {} } : parameters,
    postFilter: postFilter.useDefault ? { ...postFilter, groups: [] } : postFilter,
    qc: qc.useDefault ? { ...qc, conditions: [] } : qc,
  };
}
