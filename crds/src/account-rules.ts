/** The rules of users', groups', projects' and files' names (SPEC 5). Each answers the broken rule's code or nothing. */

import type { MessageCode } from './messages.ts';

/** DESIGN 8: 3 to 150. */
export const USERNAME_MIN = 3;
export const USERNAME_MAX = 150;
/** Our own limit: folders and columns hold it, and no laboratory's names are longer. */
export const NAME_MAX = 150;
/** File systems end at 255 bytes; the rest is for our own endings. */
export const FILE_NAME_MAX = 200;

type Verdict = MessageCode | undefined;

export function usernameProblem(name: string): Verdict {
  if (name === '') return 'username_required';
  if (name.length > USERNAME_MAX) return 'username_too_long';
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return 'username_characters';
  if (name.length < USERNAME_MIN) return 'username_too_short';
  return undefined;
}

/** First and last names: letters of any script, digits, hyphen, underscore, plus; inner spaces are kept out as the spec does. */
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

/** A name that begins with a dot is hidden or a way up; neither is a sequencing file. */
export function fileNameProblem(name: string): Verdict {
  if (name === '') return 'name_required';
  if (name.length > FILE_NAME_MAX) return 'name_too_long';
  return /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/.test(name) ? undefined : 'file_name_characters';
}
