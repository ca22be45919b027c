/** What the summary of a task asks a person to look at. The console has a text for each code. */

import type { Verdict } from './outputs/qc.ts';

/** Each code with the params that its text names. */
export const ATTENTION = {
  /** `failure` is the code of the reason. */
  sample_failed: ['sample', 'reason', 'failure'],
  pair_mismatch: ['pair'],
  pair_incomplete: ['pair'],
  ntc_failed: ['sample', 'value'],
  qc_failed: ['sample', 'metric', 'value', 'operator', 'limit'],
  qc_warned: ['sample', 'metric', 'value', 'operator', 'limit'],
} as const satisfies Record<string, readonly string[]>;

export type AttentionCode = keyof typeof ATTENTION;
export type AttentionParams<Code extends AttentionCode = AttentionCode> = {
  [C in Code]: Record<(typeof ATTENTION)[C][number], string | number | null>;
}[Code];

/** Returns the code of a QC verdict, or undefined when no action is needed. */
export function qcAttention(metric: string, verdict: Verdict): 'ntc_failed' | 'qc_failed' | 'qc_warned' | undefined {
  if (verdict === 'warn') return 'qc_warned';
  if (verdict !== 'fail') return undefined;
  return metric === 'ntc_amplicons_over' ? 'ntc_failed' : 'qc_failed';
}

/** Returns the code of a verdict in pairs.tsv, or undefined when no action is needed. */
export const pairAttention = (verdict: string | null): 'pair_mismatch' | 'pair_incomplete' | undefined =>
  verdict === 'mismatch' ? 'pair_mismatch' : verdict === 'pair_incomplete' ? 'pair_incomplete' : undefined;
