/** The preset (parameters file) as it is saved and as it is frozen beside a task (SPEC 3, DESIGN 8). */

import type { ConditionGroup, QcCondition } from './conditions/ast.ts';

/** One row of the ROI grid: positions are 1-based. An empty location means the whole reported insert. */
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
  /** Advanced parameters by key; a missing key means the panel's default. */
  parameters: { useDefault: boolean; values: Record<string, number | boolean | string> };
  postFilter: { useDefault: boolean; groups: ConditionGroup[] };
  qc: { useDefault: boolean; skip: boolean; conditions: QcCondition[] };
  functionalAnnotation: boolean;
  /** Copy-number ratio at and over which a gain is called; >= 1 (SPEC 5). */
  copyGain: number;
  /** Copy-number ratio at and under which a loss is called; greater than 0 and at most 1 (DESIGN 8). */
  copyLoss: number;
}
