import type { TFunction } from 'i18next';
import type { TaskSampleRow } from '../../queries/tasks.ts';

/** Returns why a sample failed: the text of the code, then the step's message, which names file and line. */
export function failureText(t: TFunction, failure: NonNullable<TaskSampleRow['failure']>): string {
  const text = t(`task_detail.failure_of.${failure.code}` as never, { defaultValue: '' }) as string;
  return text ? t('task_detail.failure', { text, message: failure.message }) : failure.message;
}
