import type { TFunction } from 'i18next';

/** Returns a broken rule in the language of the page: the text of its code, else its message. */
export function problemText(
  t: TFunction,
  problem: { code: string; message?: string; [value: string]: unknown },
): string {
  const translate = t as unknown as (key: string, options: object) => string;
  const text = translate(`errors.codes.${problem.code}`, { defaultValue: problem.message ?? problem.code, ...problem });
  // The problem may lack a value of its text. The message contains all values.
  return /\{\w+\}/.test(text) ? (problem.message ?? text) : text;
}
