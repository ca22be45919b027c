/** The preset (parameters file), as saved and as frozen for a task. */

import type { ConditionGroup, QcCondition } from './conditions/ast.ts';

/** A row of the ROI grid. Positions are 1-based. An empty location means the whole reported insert. */
export interface RoiRow {
  amplicon: string;
  start: number;
  end: number;
  location?: { chrom: string; start: number; end: number };
}

export interface Preset {
  schema_version: 1;
  name: string;
  panel: string;
  pipelineVersion: string;
  roi: { useDefault: boolean; rows: RoiRow[] };
  bisulfiteTargets: { useDefault: boolean; rows: { name: string; chrom: string; start: number; end: number }[] };
  cpgSites: { useDefault: boolean; rows: { name: string; chrom: string; pos: number }[] };
  /** Advanced parameters by key. A missing key means the panel's default. */
  parameters: { useDefault: boolean; values: Record<string, number | boolean | string> };
  postFilter: { useDefault: boolean; groups: ConditionGroup[] };
  qc: { useDefault: boolean; skip: boolean; conditions: QcCondition[] };
  functionalAnnotation: boolean;
  /** Lowest copy-number ratio of a gain; at least 1 [PRESET-16]. */
  copyGain: number;
  /** Highest copy-number ratio of a loss; greater than 0 and at most 1 [PRESET-17]. */
  copyLoss: number;
}
