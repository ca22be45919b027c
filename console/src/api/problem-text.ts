import type { TFunction } from 'i18next';

type AnyT = (key: string, values?: Record<string, unknown>) => string;

interface Problem {
  code?: string | undefined;
  message?: string | undefined;
  /** Values of the text; a problem of a launch has some of its own. */
  values?: Record<string, unknown> | undefined;
  [value: string]: unknown;
}

/** Returns a broken rule in the language of the page: the text of its code, else its message. */
export function problemText(t: TFunction, problem: Problem): string {
  const { code, message, values } = problem;
  const any = t as unknown as AnyT;
  // The limit of a value that the API document does not allow is only in its message.
  const limit = /\d+/.exec(message ?? '')?.[0];
  const text =
    any(`errors.codes.${code}`, { defaultValue: '', ...problem, ...values }) ||
    any(`errors.invalid.${code}`, { defaultValue: '', ...(limit !== undefined && { limit }) });
  // The problem may lack a value of its text: the message has all of them filled.
  return text === '' || /\{\w+\}/.test(text) ? (message ?? code ?? '') : text;
}

/** Names that are followed by the index of a row, and names that only hold others. */
const SILENT: ReadonlySet<string> = new Set(['rows', 'values', 'body']);

/** Returns the place of a problem in the language of the page: a path of fields, a file, or a line of a file. */
export function fieldText(t: TFunction, field: string): string {
  const any = t as unknown as AnyT;
  const line = (text: string) => text.replace(/\bline (\d+)/g, (_, n: string) => any('errors.line', { n }));
  // A file name, maybe with its line. Paths have neither blanks nor the extension of a file.
  if (/ |\.(json|txt|csv|tsv|gz|bam|bai|fastq|fq|bed)\b/.test(field)) return line(field);
  const parts = (field.match(/[^./[\]]+/g) ?? []).filter((part) => !SILENT.has(part));
  return parts
    .map((part) =>
      /^\d+$/.test(part)
        ? any('errors.row', { n: Number(part) + 1 })
        : any(`errors.field.${part}`, { defaultValue: part }),
    )
    .join(' · ');
}
