import type { TFunction } from 'i18next';
import { count } from '../../components/format.ts';
import type { TaskQc } from '../../queries/results.ts';

/** Metrics that decide whether a sample can be used; the others are optional columns. */
export const IMPORTANT: readonly string[] = [
  'reads_total',
  'q30_fraction',
  'mapped_fraction',
  'on_target_fraction',
  'mean_depth',
  'median_depth',
  'min_amplicon_depth',
  'covered_fraction',
  'roi_covered_fraction',
  'uniformity',
  'dropouts',
];

/** Sorts the important metrics first, the others by name. */
export function byImportance(metrics: readonly string[]): string[] {
  const rank = (metric: string): number => (IMPORTANT.includes(metric) ? IMPORTANT.indexOf(metric) : IMPORTANT.length);
  return metrics.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

type Verdict = TaskQc['samples'][number]['verdicts'][number];

const isShare = (metric: string): boolean =>
  /(fraction|rate|share|pct|percent|uniformity|on_target|q30|mapped|conversion|contamination)/.test(metric);

/** Formats a share as percent, and another number grouped and rounded to three digits. */
export function metricText(metric: string, value: number): string {
  if (isShare(metric) && value >= 0 && value <= 1) return `${(value * 100).toFixed(1)} %`;
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** Returns a metric's name in the language of the page; its key when it has no text. */
export const metricName = (t: TFunction, metric: string): string =>
  String(t(`qc.metric.${metric}` as never, { defaultValue: metric.replaceAll('_', ' ') }));

/** Returns the metric, its value and the limit it broke: "mean depth 84 (< 200)". */
export function verdictText(t: TFunction, verdict: Verdict): string {
  const name = metricName(t, verdict.metric);
  const value = verdict.value === null ? '–' : metricText(verdict.metric, verdict.value);
  return verdict.limit === null
    ? `${name} ${value}`
    : `${name} ${value} (${verdict.operator ?? ''} ${metricText(verdict.metric, verdict.limit)})`;
}
