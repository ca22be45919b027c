/** Rules for passwords [USER-16] [USER-17] [USER-18], used by the api and by the checklist in the console. */

import type { MessageCode } from './messages.ts';

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 32;
/** Generated passwords have 8 to 16 characters [USER-15]. */
export const GENERATED_PASSWORD_LENGTH = 16;

/**
 * Returns one code per broken rule, in display order. The api also rejects common passwords (`password_common`), whose
 * list is too large for a browser.
 */
export function passwordProblems(password: string): MessageCode[] {
  const problems: MessageCode[] = [];
  const length = [...password].length;
  if (length < PASSWORD_MIN || length > PASSWORD_MAX) problems.push('password_length');
  const classes = [/[A-Z]/, /[a-z]/, /[0-9]/, /[^A-Za-z0-9\s]/];
  if (!classes.every((pattern) => pattern.test(password))) problems.push('password_classes');
  if (/[<>&']/.test(password)) problems.push('password_forbidden_characters');
  return problems;
}

const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const LOWER = 'abcdefghijkmnopqrstuvwxyz';
const DIGITS = '23456789';
const SPECIAL = '-_+=.,:!?#%*';

/**
 * Returns a password that meets all rules: 16 characters, the first a letter, none easily misread. `random(n)` returns an
 * integer from 0 to n - 1 and must be cryptographically secure.
 */
export function generatePassword(random: (n: number) => number): string {
  const pick = (from: string): string => from[random(from.length)]!;
  const rest = [pick(LOWER), pick(DIGITS), pick(SPECIAL)];
  while (rest.length < GENERATED_PASSWORD_LENGTH - 1) rest.push(pick(UPPER + LOWER + DIGITS + SPECIAL));
  for (let i = rest.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [rest[i], rest[j]] = [rest[j]!, rest[i]!];
  }
  return pick(UPPER) + rest.join('');
}
