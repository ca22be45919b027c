/** Files of the stage `qc`, below qc/. */

import type { OutputTable } from './table.ts';

export const SAMPLE_QC: OutputTable = {
  file: 'sample_qc.tsv',
  meaning: 'Each threshold that applies to a sample, and its verdict.',
  schemaVersion: 1,
  columns: [
    ['sample', 'sample'],
    ['metric', 'metric'],
    ['value', 'value'],
    ['numerator', 'numerator of a share'],
    ['denominator', 'denominator of a share'],
    ['operator', 'the comparison that must hold'],
    ['limit', 'the threshold'],
    ['source', 'where the limit comes from: preset, panel or default'],
    ['verdict', 'pass, warn, fail or not_assessed'],
  ],
};

export type Verdict = 'pass' | 'warn' | 'fail' | 'not_assessed';
