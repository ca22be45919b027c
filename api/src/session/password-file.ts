/** Passwords in files: read from a mounted Secret, or written for the owner of the data folder. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { newPasswordProblem } from './new-password.ts';

/** Password files of an account that the api creates. */
export interface PasswordFiles {
  /** File to write a generated password to. */
  leftIn: string | undefined;
  /** File to read a given password from. If set, none is generated. */
  givenIn: string | undefined;
}

/** Throws an Error that names the setting when the file is unreadable or its password breaks the rules. */
export async function readPasswordFile(setting: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${setting}: ${file} cannot be read (${cause.code})`, { cause });
  });
  const password = text.trim();
  const problem = await newPasswordProblem(password);
  if (problem) throw new Error(`${setting}: ${file}: ${formatMessage(problem)}`);
  return password;
}

/** Replaces the file atomically. Only its owner can read it. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const temporary = `${file}.${randomUUID()}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
