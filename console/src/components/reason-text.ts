import type { TFunction } from 'i18next';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskDetail, TaskRow } from '../queries/tasks.ts';

type Reason = Pick<TaskRow, 'reason' | 'reason_of'>;
export type ReasonText = (task: Reason) => string | null;
type AnyT = (key: string, values?: Record<string, unknown>) => string;

/** Failures whose message has nothing but the text and a number. Other messages name a file, an image or an exit code. */
const NUMBERED: ReadonlySet<string> = new Set([
  'step_timeout',
  'out_of_memory',
  'too_many_attempts',
  'disrupted_too_often',
  'terminated',
]);
/** Conditions whose message quotes the cluster. */
const QUOTING: ReadonlySet<string> = new Set(['JobForbidden', 'JobRefused', 'PipelineInvalid', 'Unschedulable']);

/** Returns the text of a failure's code, with the message where it says more; the message alone for an unknown code. */
export function failureText(t: TFunction, { code, message }: { code: string | null; message: string }): string {
  const text = (t as unknown as AnyT)(`task_detail.failure_of.${code}`, { defaultValue: '' });
  if (text === '') return message;
  if (!NUMBERED.has(code ?? '')) return t('task_detail.failure', { text, message });
  const number = message.match(/\b\d+(\.\d+)?[A-Za-z]*\b/g)?.at(-1);
  return number === undefined ? text : t('task_detail.failure_number', { text, number });
}

/**
 * Returns why a task failed or waits. The server's line is English; in another language the text of its code replaces it,
 * unless the code is unknown.
 */
export function reasonText(t: TFunction, language: string, { reason, reason_of: parts }: Reason): string | null {
  if (!parts || language.startsWith('en')) return reason;
  const { code, step, sample, message } = parts;
  const any = t as unknown as AnyT;
  const stored = any(`errors.codes.${code}`, { defaultValue: '', reason: message });
  if (stored) return stored;
  const condition = any(`tasks.reason_of.${code}`, { defaultValue: '' });
  const text = condition && QUOTING.has(code) ? t('task_detail.failure', { text: condition, message }) : condition;
  const what = text || failureText(t, { code, message });
  const where = [step, sample && t('tasks.reason_sample', { sample })].filter(Boolean).join(t('tasks.reason_join'));
  return where ? t('task_detail.failure', { text: where, message: what }) : what;
}

/** Turns the reason of a task into the user's language: see reasonText. */
export function useReasonText(): ReasonText {
  const { t, i18n } = useTranslation();
  return useCallback((task: Reason) => reasonText(t, i18n.language, task), [t, i18n.language]);
}

type Step = Pick<TaskDetail['stages'][number]['steps'][number], 'name' | 'state' | 'reason' | 'message'>;

/** Returns why a step failed or is repeated, as reasonText does for a task. */
export function useStepText(failures: TaskDetail['failures']): (step: Step) => string | null {
  const reasonText = useReasonText();
  return ({ name, state, reason, message }) => {
    const failure =
      state === 'Failed' ? failures.find(({ step, sample }) => step === name && sample === null) : undefined;
    const code = failure?.code ?? reason;
    return reasonText({
      reason: message ?? null,
      reason_of: code && message ? { code, step: null, sample: null, message } : null,
    });
  };
}
