import type { TFunction } from 'i18next';
import { ApiError } from './api-error.ts';

/** An error in words. `title`: what kind of call failed; `message`: what to tell; `id`: to quote; `code`: stable. */
export interface ErrorText {
  title: string;
  message: string;
  id?: string;
  code?: string;
  /** The server's own sentence when it says more than the translated text. */
  detail?: string;
  /** True when the message is the generic text of the status. */
  isGeneric?: true;
}

type AnyT = (key: string, values?: Record<string, unknown>) => string;

const STATUS_KEYS = new Set([400, 401, 404, 500, 502]);

/** The generic text of a failed call (SPEC 8). */
function genericText(error: ApiError, t: AnyT): string {
  if (error.kind === 'unreachable') return t('errors.generic.unreachable');
  if (error.kind === 'timeout') return t('errors.generic.timeout');
  if (error.status === 403) return t('errors.generic.forbidden');
  if (STATUS_KEYS.has(error.status)) return t(`errors.generic.${error.status}`);
  return t('errors.generic.other', { status: error.status });
}

/**
 * The text of any error. Precedence (DESIGN 8): DISPLAY_ERROR_MESSAGE, then the generic text of the status, then the
 * get-failed text. DISPLAY_ERROR_MESSAGE is English; in another language the text of its code stands in its place, with
 * the values of `details`, and the server's sentence stays as detail.
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
