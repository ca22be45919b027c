import { PASSWORD_MAX, PASSWORD_MIN, passwordProblems } from '@seqpanel/crds/password-rules.ts';

/** Password rules in the order of the checklist; each character class has its own line. */
export const PASSWORD_RULES = [
  { key: 'length', holds: (password: string) => password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX },
  { key: 'upper', holds: (password: string) => /[A-Z]/.test(password) },
  { key: 'lower', holds: (password: string) => /[a-z]/.test(password) },
  { key: 'digit', holds: (password: string) => /\d/.test(password) },
  { key: 'special', holds: (password: string) => /[^A-Za-z0-9\s]/.test(password) },
  { key: 'forbidden', holds: (password: string) => password !== '' && !/[<>&']/.test(password) },
] as const;

/** Returns the code of the first broken rule, by the rules of the api; undefined for a valid password. */
export const passwordProblem = (password: string) => passwordProblems(password)[0];
