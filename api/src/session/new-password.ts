/** Checks a new password against the rules that the console shows and a list of common passwords (ASVS 5.0 6.2.4). */
import type { MessageCode } from '@seqpanel/crds/messages.ts';
import { passwordProblems } from '@seqpanel/crds/password-rules.ts';

/**
 * Common passwords that satisfy the rules. Nearly all passwords of the package's list already break the rule of four
 * character classes; these are their usual variants.
 */
const COMMON_VARIANTS = new Set(
  'p@ssword1 passw0rd! password1! password123! pa$$word1 qwerty1! qwerty123! welcome1! welcome123! admin123! admin@123 abc123!@# abcd1234! aa123456! aa@123456 q1w2e3r4! test1234! changeme1! letmein1! iloveyou1! summer2024! winter2024! hello123!'.split(
    ' ',
  ),
);

/** Loads 49,000 leaked passwords on first use. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'] as readonly string[]);
}
let common: Promise<ReadonlySet<string>> | undefined;

/** Ignores case. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= loadCommon();
  const lower = password.toLowerCase();
  return COMMON_VARIANTS.has(lower) || (await common).has(lower);
}

/** Returns the first broken rule of a new password, or undefined. */
export async function newPasswordProblem(password: string): Promise<MessageCode | undefined> {
  return passwordProblems(password)[0] ?? ((await isCommonPassword(password)) ? 'password_common' : undefined);
}
