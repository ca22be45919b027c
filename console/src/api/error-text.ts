import type { TFunction } from 'i18next';
import { ApiError } from './api-error.ts';

/** Text of an error. `title`: kind of failed call; `message`: text for the user; `id`: to quote; `code`: stable. */
export interface ErrorText {
  title: string;
  message: string;
  id?: string;
  code?: string;
  /** The server's own sentence, if it has more information than the translated text. */
  detail?: string;
  /** True when the message is the generic text of the status. */
  isGeneric?: true;
}

type AnyT = (key: string, values?: Record<string, unknown>) => string;

const STATUS_KEYS = new Set([400, 401, 404, 500, 502]);

/** Returns the generic text of a failed call ([ERR-10] to [ERR-17]). */
function genericText(error: ApiError, t: AnyT): string {
  if (error.kind === 'unreachable') return t('errors.generic.unreachable');
  if (error.kind === 'timeout') return t('errors.generic.timeout');
  if (error.status === 403) return t('errors.generic.forbidden');
  if (STATUS_KEYS.has(error.status)) return t(`errors.generic.${error.status}`);
  return t('errors.generic.other', { status: error.status });
}

/**
 * Returns the text of any error: DISPLAY_ERROR_MESSAGE ([ERR-05]), else the generic text of the status, else the
 * get-failed text ([ERR-06]). DISPLAY_ERROR_MESSAGE is English. In another language the text of the code replaces it,
 * with the values of `details`, and the server's sentence becomes the detail.
 */
export function errorText(error: unknown, t: TFunction, language: string): ErrorText {
  const any = t as unknown as AnyT;
  if (!(error instanceof ApiError))
    return { title: any('errors.generic.unknown'), message: any('errors.generic.unknown') };
  const title = any(error.method === 'GET' ? 'errors.generic.get_failed' : 'errors.generic.call_failed');
  const base = {
    title,
    ...(error.answer ? { id: error.answer.id, code: error.answer.code } : {}),
  };
  const display = error.answer?.DISPLAY_ERROR_MESSAGE;
  if (!display) return { ...base, message: genericText(error, any), isGeneric: true };
  if (language.startsWith('en')) return { ...base, message: display };
  const translated = any(`errors.codes.${error.answer?.code}`, { ...error.answer?.details, defaultValue: '' });
  return translated ? { ...base, message: translated, detail: display } : { ...base, message: display };
}
