/** Items of the summary that need attention, from the ingested rows. */

import { type AttentionCode, type AttentionParams, pairAttention, qcAttention } from '@seqpanel/crds/attention.ts';
import type { Verdict } from '@seqpanel/crds/outputs/qc.ts';
import type { AnswerOf } from '../feature.ts';

type Item = AnswerOf<'getTaskSummary'>['attention'][number];

const item = <C extends AttentionCode>(
  code: C,
  params: AttentionParams<C>,
  rest: Pick<Item, 'message' | 'sample' | 'tab'>,
): Item => ({ level: code === 'qc_warned' ? 'warning' : 'danger', code, params, ...rest });

export interface FailedSample {
  name: string;
  failure: { code?: string | null; message?: string };
}

export function failedSample({ name, failure }: FailedSample): Item {
  const reason = failure.message || failure.code || 'failed';
  return item(
    'sample_failed',
    { sample: name, reason, failure: failure.code ?? null },
    { message: reason, sample: name, tab: null },
  );
}

export function pairFinding({ pair, verdict }: { pair: string; verdict: string | null }): Item[] {
  const code = pairAttention(verdict);
  return code ? [item(code, { pair }, { message: pair, sample: null, tab: 'summary' })] : [];
}

export interface QcFinding {
  name: string;
  metric: string;
  value: number | null;
  operator: string | null;
  threshold: number | null;
  verdict: Verdict;
}

export function qcFinding({ name, metric, value, operator, threshold, verdict }: QcFinding): Item[] {
  const code = qcAttention(metric, verdict);
  const message = `${metric} ${value ?? '–'}; ${operator ?? ''} ${threshold ?? ''}`.trim();
  const params = { sample: name, metric, value, operator, limit: threshold };
  return code ? [item(code, params, { message, sample: name, tab: 'qc' })] : [];
}
