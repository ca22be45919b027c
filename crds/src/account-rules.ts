/** Rules for names of users, groups, projects and files. Each function returns the code of the broken rule, or undefined. */

import type { MessageCode } from './messages.ts';

/** At least 3 characters ([USER-05]), at most 150 ([USER-04]). */
export const USERNAME_MIN = 3;
export const USERNAME_MAX = 150;
/** Our own limit, which fits folders and columns. */
export const NAME_MAX = 150;
/** File systems allow 255 bytes. The rest is for suffixes that we add. */
export const FILE_NAME_MAX = 200;

type Verdict = MessageCode | undefined;

export function usernameProblem(name: string): Verdict {
  if (name === '') return 'username_required';
  if (name.length > USERNAME_MAX) return 'username_too_long';
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return 'username_characters';
  if (name.length < USERNAME_MIN) return 'username_too_short';
  return undefined;
}

/** First and last names [USER-08]: letters of any script, digits, hyphen, underscore and plus, but no spaces. */
export function personNameProblem(name: string): Verdict {
  return /^[\p{L}\p{M}\p{N}_+-]*$/u.test(name) ? undefined : 'user_name_characters';
}

export function emailProblem(address: string): Verdict {
  const good = address.length <= 254 && /^[^\s@<>(),;:"\\]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(address);
  return good ? undefined : 'email_invalid';
}

export function groupNameProblem(name: string): Verdict {
  if (name === '') return 'name_required';
  if (name.length > NAME_MAX) return 'name_too_long';
  return /^[A-Za-z0-9_-]+$/.test(name) ? undefined : 'group_name_characters';
}

export function projectNameProblem(name: string): Verdict {
  if (name === '') return 'name_required';
  if (name.length > NAME_MAX) return 'name_too_long';
  return /^[A-Za-z0-9_-]+$/.test(name) ? undefined : 'project_name_characters';
}

/** Rejects a leading dot: such a name is hidden or leads to the parent folder. */
export function fileNameProblem(name: string): Verdict {
  if (name === '') return 'name_required';
  if (name.length > FILE_NAME_MAX) return 'name_too_long';
  return /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) ? undefined : 'file_name_characters';
}
