/** The factory default of a panel: everything "use default", which each step reads as the panel file's own values. */

import type { PanelFile } from './panel.ts';
import type { Preset } from './preset.ts';

/** Name of the preset that a task without a saved one is run with. */
export const DEFAULT_PRESET_NAME = 'default';
/** Halfway between two copies and three, and between two and one, seen from the side of two: noise is a tenth of it. */
const DEFAULT_GAIN = 1.3;
const DEFAULT_LOSS = 0.7;

export const defaultPreset = (panel: Pick<PanelFile, 'value'>, pipelineVersion: string): Preset => ({
  schema_version: 1,
  name: DEFAULT_PRESET_NAME,
  panel: panel.value,
  pipelineVersion,
  roi: { useDefault: true, rows: [] },
  bisulfiteTargets: { useDefault: true, rows: [] },
  cpgSites: { useDefault: true, rows: [] },
  parameters: { useDefault: true, values: {} },
  postFilter: { useDefault: true, groups: [] },
  qc: { useDefault: true, skip: false, conditions: [] },
  functionalAnnotation: true,
  copyGain: DEFAULT_GAIN,
  copyLoss: DEFAULT_LOSS,
});
