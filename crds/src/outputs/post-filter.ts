/** Files of the stage `post-filter`, in post-filter/. */

import type { ConditionGroup } from '../conditions/ast.ts';
import type { OutputTable } from './table.ts';

/** samples/S/trace.tsv.gz. Bits are in the order of filters.json: groups, their filters, their conditions. */
export const TRACE: OutputTable = {
  file: 'trace.tsv.gz',
  meaning: "Each call of a sample against each condition of the preset's post-filter.",
  schemaVersion: 1,
  columns: [
    ['allele_key', 'key of the allele'],
    ['group', 'the first group that matches; `.` for none'],
    ['pass', '1 when the call is kept, else 0'],
    ['bits', 'one 0 or 1 per condition: whether the row matches'],
    ['missing', 'one 0 or 1 per condition: whether the row has no value in its field'],
  ],
};

/** filters.json */
export interface FiltersFile {
  schema_version: 1;
  groups: ConditionGroup[];
}

/** funnel.json: calls kept by each condition alone, and by it and the preceding ones. */
export interface FunnelFile {
  schema_version: 1;
  calls: number;
  kept: number;
  conditions: { group: string; filter: string; field: string; alone: number; cumulative: number }[];
}

/** Path of a sample's trace in post-filter/. */
export const traceFile = (sample: string): string => `samples/${sample}/trace.tsv.gz`;
