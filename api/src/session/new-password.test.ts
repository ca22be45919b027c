import { expect, test } from '@jest/globals';
import { isCommonPassword, newPasswordProblem } from './new-password.ts';

test('the list holds well over the 3,000 most used passwords, whatever their case', async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  expect(new Set(dictionary['passwords-common']).size).toBeGreaterThan(3_000);
  for (const password of ['123456', 'Password', 'QWERTY', 'iLoveYou', 'P@ssw0rd', 'dragon'])
    expect([password, await isCommonPassword(password)]).toEqual([password, true]);
  expect(await isCommonPassword('Right-Horse7')).toBe(false);
});

test('the rule that the console shows comes before the list', async () => {
  expect(await newPasswordProblem('password')).toBe('password_classes');
  expect(await newPasswordProblem('P@SSw0rd')).toBe('password_common');
  expect(await newPasswordProblem('Right-Horse7')).toBeUndefined();
});
