/** Applies thresholds to a sample's metrics. Pure. */

import type { QcCondition } from '@seqpanel/crds/conditions/ast.ts';
import type { Verdict } from '@seqpanel/crds/outputs/qc.ts';

/** A metric. A share also has numerator and denominator. */
export interface MetricValue {
  value: number | null;
  numerator?: number;
  denominator?: number;
}

export interface Judged extends MetricValue {
  metric: string;
  operator: string;
  limit: number;
  source: 'preset' | 'panel' | 'default';
  verdict: Verdict;
}

const HOLDS: Readonly<Record<QcCondition['operator'], (value: number, limit: number) => boolean>> = {
  '=': (value, limit) => value === limit,
  '!=': (value, limit) => value !== limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
};

/** Applies one threshold to a metric. A metric without a value is not assessed. */
export function judge(
  { metric, operator, value: limit, action }: Omit<QcCondition, 'sampleTypes'>,
  found: MetricValue | undefined,
  source: Judged['source'],
): Judged {
  const metricValue = found ?? { value: null };
  const { value } = metricValue;
  const verdict = value === null ? 'not_assessed' : HOLDS[operator](value, limit) ? 'pass' : action;
  return { metric, operator, limit, source, verdict, ...metricValue };
}

const ORDER: readonly Verdict[] = ['fail', 'warn', 'pass', 'not_assessed'];

/** Returns the worst of several verdicts, or not_assessed when there are none. */
export const worst = (verdicts: readonly Verdict[]): Verdict =>
  ORDER.find((v) => verdicts.includes(v)) ?? 'not_assessed';

/**
 * Judges a sample by the preset's conditions for its type and by fixed rules: a sample other than an NTC must have reads,
 * an NTC must be clean, a positive control complete and a negative control empty.
 */
export function judgeSample(
  qcType: string,
  metrics: Readonly<Record<string, MetricValue>>,
  conditions: readonly QcCondition[],
  source: 'preset' | 'default',
): Judged[] {
  const fixed: [QcCondition, Judged['source']][] = [];
  const add = (metric: string, operator: QcCondition['operator'], value: number, from: Judged['source']): void => {
    fixed.push([{ metric, operator, value, action: 'fail' }, from]);
  };
  if (qcType === 'NTC') add('ntc_amplicons_over', '<=', 0, 'panel');
  else add('reads_total', '>=', 1, 'default');
  if (qcType === 'PosCtrl') add('control_missing', '<=', 0, 'panel');
  if (qcType === 'NegCtrl') add('control_unexpected', '<=', 0, 'panel');
  if (metrics['pair_concordance']) add('pair_concordance', '>=', 0.9, 'default');
  const chosen = conditions
    // Depth has no meaning in an NTC, so apply only the conditions that name the type NTC.
    .filter(({ sampleTypes }) => (sampleTypes ? sampleTypes.some((type) => type === qcType) : qcType !== 'NTC'))
    .map((condition): [QcCondition, Judged['source']] => [condition, source]);
  return [...fixed, ...chosen].map(([condition, from]) => judge(condition, metrics[condition.metric], from));
}
