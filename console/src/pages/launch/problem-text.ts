import type { TFunction } from 'i18next';

/** A broken rule in the language of the page: the catalogue's text of its code, else the message that came with it. */
export function problemText(
  t: TFunction,
  problem: { code: string; message?: string; [value: string]: unknown },
): string {
  const translate = t as unknown as (key: string, options: object) => string;
  return translate(`errors.codes.${problem.code}`, { defaultValue: problem.message ?? problem.code, ...problem });
}
