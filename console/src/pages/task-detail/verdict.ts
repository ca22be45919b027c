import type { TFunction } from 'i18next';
import { count, joinSentences } from '../../components/format.ts';
import type { TaskSummary } from '../../queries/results.ts';
import { sampleCounts } from '../../queries/sample-counts.ts';
import type { TaskDetail } from '../../queries/tasks.ts';

/** Returns the result of a run in a sentence or two; names the progress while samples are running. */
export function verdict(
  t: TFunction,
  task: Pick<TaskDetail, 'status' | 'samples' | 'qc'>,
  summary: TaskSummary,
): string {
  const { qc, variants } = summary;
  const counts = sampleCounts(task);
  const sentences: string[] = [];
  if (task.status === 'queued' || task.status === 'starting') return t('task_detail.verdict.waiting');
  if (task.status === 'running')
    sentences.push(t('task_detail.verdict.running', { done: counts.done, count: counts.total }));
  if (qc.ready && task.qc.pass + task.qc.warn + task.qc.fail > 0) {
    sentences.push(t('task_detail.verdict.qc', { pass: counts.passed, count: counts.total - counts.unassessed }));
    if (counts.unassessed > 0) sentences.push(t('task_detail.verdict.unassessed', { count: counts.unassessed }));
    if (task.qc.warn > 0) sentences.push(t('task_detail.verdict.warn', { n: task.qc.warn }));
  }
  if (counts.failed > 0) sentences.push(t('task_detail.verdict.failed', { count: counts.failed }));
  if (variants.called > 0)
    sentences.push(t('task_detail.verdict.variants', { kept: count(variants.kept), count: variants.called }));
  const needingAttention = summary.attention.length;
  if (needingAttention > 0) sentences.push(t('task_detail.verdict.attention', { count: needingAttention }));
  return joinSentences(sentences) || t(`common.task_status.${task.status}`);
}
