import { PASSWORD_MAX, PASSWORD_MIN, passwordProblems } from '@seqpanel/crds/password-rules.ts';

/** SPEC 5: the rules of a password, in the order of the checklist; each class has a line of its own. */
export const PASSWORD_RULES = [
  { key: 'length', holds: (password: string) => password.length >= PASSWORD_MIN && password.length <= PASSWORD_MAX },
  { key: 'upper', holds: (password: string) => /[A-Z]/.test(password) },
  { key: 'lower', holds: (password: string) => /[a-z]/.test(password) },
  { key: 'digit', holds: (password: string) => /\d/.test(password) },
  { key: 'special', holds: (password: string) => /[^A-Za-z0-9\s]/.test(password) },
  { key: 'forbidden', holds: (password: string) => password !== '' && !/[<>&']/.test(password) },
] as const;

/** The first broken rule's code, or undefined for a good password; decided by the rules that the api uses. */
export const passwordProblem = (password: string) => passwordProblems(password)[0];
