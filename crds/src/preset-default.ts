/** The default parameters file of a panel, used for new files and by the use-default switches [PRESET-15]. */

import type { ConditionGroup, QcCondition } from './conditions/ast.ts';
import type { PanelFile } from './panel.ts';
import type { Preset } from './preset.ts';
import { defaultRoiRows } from './roi.ts';

/** Keeps calls that pass the caller. `filter` is PASS, or every reason against the call. */
export const DEFAULT_POST_FILTER: readonly ConditionGroup[] = [
  {
    name: 'Reported',
    filters: [{ name: 'PASS', conditions: [{ field: 'filter', operator: '=', value: 'PASS', missingPasses: false }] }],
  },
];

/** QC thresholds of a sample. Metrics are defined in outputs/reads.ts; depths are fragments, shares fractions. */
export const DEFAULT_QC: readonly QcCondition[] = [
  { metric: 'mean_depth', operator: '>=', value: 100, action: 'fail', sampleTypes: ['Sample', 'PosCtrl', 'NegCtrl'] },
  {
    metric: 'on_target_fraction',
    operator: '>=',
    value: 0.5,
    action: 'warn',
    sampleTypes: ['Sample', 'PosCtrl', 'NegCtrl'],
  },
];

/** Gain from 1.3 and loss up to 0.7 times the expected ratio: one copy more or less of two, with room for noise. */
export const DEFAULT_COPY_GAIN = 1.3;
export const DEFAULT_COPY_LOSS = 0.7;

/** Returns the default of a panel, with use-default on in every part. */
export function defaultPreset(panel: PanelFile, pipelineVersion: string, name = 'default'): Preset {
  return {
    schema_version: 1,
    name,
    panel: panel.value,
    pipelineVersion,
    roi: { useDefault: true, rows: defaultRoiRows(panel) },
    bisulfiteTargets: {
      useDefault: true,
      rows: (panel.bisulfite?.targets ?? []).map(({ name: target, chrom, start, end }) => ({
        name: target,
        chrom,
        start,
        end,
      })),
    },
    cpgSites: {
      useDefault: true,
      rows: (panel.bisulfite?.cpgs ?? []).map(({ name: site, chrom, pos }) => ({ name: site, chrom, pos })),
    },
    parameters: { useDefault: true, values: Object.fromEntries(panel.parameters.map((p) => [p.key, p.default])) },
    postFilter: { useDefault: true, groups: structuredClone(DEFAULT_POST_FILTER) as ConditionGroup[] },
    qc: { useDefault: true, skip: false, conditions: structuredClone(DEFAULT_QC) as QcCondition[] },
    functionalAnnotation: true,
    copyGain: DEFAULT_COPY_GAIN,
    copyLoss: DEFAULT_COPY_LOSS,
  };
}
