/** Settings of a process, from its environment: each is checked, and what cannot be used is told by its variable. */
import { z } from 'zod';

/** A whole number of that range. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .refine((text) => text.trim() !== '' && Number.isInteger(Number(text)), {
      error: ({ input }) => `must be a whole number, not "${input}"`,
      abort: true,
    })
    .transform(Number)
    .refine((number) => number >= least && number <= most, {
      error: ({ input }) => `must be a whole number from ${least} to ${most}, not ${input}`,
    });

/** 0 takes any free port. */
export const portNumber = wholeNumber(0, 65535);

/** The schema's own words where it has any; these for what it leaves to zod. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is needed and not set';
  if (issue.code === 'too_small' && issue.input === '') return 'must not be empty';
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return `must be an address such as https://host.example, not "${issue.input}"`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}, not "${issue.input}"`;
  return undefined;
};

/** Throws an Error of one line that names each variable that cannot be used, and says what it must be. */
export function readSettings<T extends z.ZodType>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const parsed = schema.safeParse(env, { error: inWords });
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

/** Where a variable that is empty counts as one that is not set. */
export const withoutEmpty = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
