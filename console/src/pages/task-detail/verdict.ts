import type { TFunction } from 'i18next';
import { count } from '../../components/format.ts';
import type { TaskSummary } from '../../queries/results.ts';
import type { TaskDetail } from '../../queries/tasks.ts';

/** Returns the result of a run in a sentence or two; names the progress while samples are running. */
export function verdict(t: TFunction, task: Pick<TaskDetail, 'status'>, summary: TaskSummary): string {
  const { samples, qc, variants } = summary;
  const sentences: string[] = [];
  if (task.status === 'queued' || task.status === 'starting') return t('task_detail.verdict.waiting');
  if (task.status === 'running')
    sentences.push(t('task_detail.verdict.running', { done: samples.done, count: samples.total }));
  if (qc.ready) {
    const total = qc.pass + qc.warn + qc.fail;
    if (total > 0) sentences.push(t('task_detail.verdict.qc', { pass: qc.pass + qc.warn, count: total }));
    if (qc.warn > 0) sentences.push(t('task_detail.verdict.warn', { n: qc.warn }));
  }
  if (samples.failed > 0) sentences.push(t('task_detail.verdict.failed', { count: samples.failed }));
  if (variants.called > 0)
    sentences.push(t('task_detail.verdict.variants', { kept: count(variants.kept), count: variants.called }));
  const toDo = summary.attention.length;
  if (toDo > 0) sentences.push(t('task_detail.verdict.attention', { count: toDo }));
  return sentences.join(' ') || t(`common.task_status.${task.status}`);
}
