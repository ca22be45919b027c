/** Whether a password may be chosen: the rules that the console shows, and the lists of common passwords (ASVS 5.0 6.2.4). */
import type { MessageCode } from '@seqpanel/crds/messages.ts';
import { passwordProblems } from '@seqpanel/crds/password-rules.ts';

/**
 * Common passwords that meet the rules. The list of the package holds the most used ones, nearly all of which the four
 * character classes reject already; these are their usual variants.
 */
const COMMON_VARIANTS = new Set(
  'p@ssword1 passw0rd! password1! password123! pa$$word1 qwerty1! qwerty123! welcome1! welcome123! admin123! admin@123 abc123!@# abcd1234! aa123456! aa@123456 q1w2e3r4! test1234! changeme1! letmein1! iloveyou1! summer2024! winter2024! hello123!'.split(
    ' ',
  ),
);

/** 49,000 passwords of published leaks; loaded with the first new password. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'] as readonly string[]);
}
let common: Promise<ReadonlySet<string>> | undefined;

/** Upper and lower case are the same. */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= loadCommon();
  const lower = password.toLowerCase();
  return COMMON_VARIANTS.has(lower) || (await common).has(lower);
}

/** The first broken rule of a new password; undefined when it may be chosen. */
export async function newPasswordProblem(password: string): Promise<MessageCode | undefined> {
  return passwordProblems(password)[0] ?? ((await isCommonPassword(password)) ? 'password_common' : undefined);
}
