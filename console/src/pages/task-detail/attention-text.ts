import type { TFunction } from 'i18next';
import { failureText } from '../../components/reason-text.ts';
import type { TaskSummary } from '../../queries/results.ts';
import { metricName, metricText } from './qc-format.ts';

type Attention = TaskSummary['attention'][number];

/** Returns one sentence about an item that needs attention, in the language of the page. */
export function attentionText(t: TFunction, { code, params, message }: Pick<Attention, 'code' | 'params' | 'message'>) {
  const metric = typeof params['metric'] === 'string' ? params['metric'] : '';
  const { failure, reason } = params;
  const shown = Object.entries(params).map(([name, value]) => [
    name,
    value === null
      ? '–'
      : typeof value === 'number'
        ? metricText(metric, value)
        : name === 'metric'
          ? metricName(t, value)
          : name === 'reason' && typeof failure === 'string'
            ? failureText(t, { code: failure, message: String(reason) })
            : value,
  ]);
  return t(`task_detail.attention_of.${code}`, { defaultValue: message, ...Object.fromEntries(shown) });
}
