/** Reads the settings of a process from its environment. Errors name the variable. */
import { z } from 'zod';

/** A whole number within limits. */
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

/** A port. 0 selects any free port. */
export const portNumber = wholeNumber(0, 65535);

/** Messages for issues without a message in the schema. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is needed and not set';
  if (issue.code === 'too_small' && issue.input === '') return 'must not be empty';
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return `must be an address such as https://host.example, not "${issue.input}"`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}, not "${issue.input}"`;
  return undefined;
};

/** Throws an Error of one line that names each invalid variable and what it must be. */
export function readSettings<T extends z.ZodType>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const parsed = schema.safeParse(env, { error: inWords });
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

/** Treats an empty variable as missing. */
export const withoutEmpty = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
