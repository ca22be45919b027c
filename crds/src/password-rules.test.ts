import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GENERATED_PASSWORD_LENGTH, generatePassword, passwordProblems } from './password-rules.ts';

describe('a password', () => {
  test.each([
    ['[USER-16] of 8 characters is accepted', 'Aa1-aaaa', []],
    ['[USER-16] of 32 characters is accepted', `Aa1-${'a'.repeat(28)}`, []],
    ['[USER-16] of 7 characters is too short', 'Aa1-aaa', ['password_length']],
    ['[USER-16] of 33 characters is too long', `Aa1-${'a'.repeat(29)}`, ['password_length']],
    ['[USER-17] without an uppercase letter is rejected', 'aa1-aaaa', ['password_classes']],
    ['[USER-17] without a lowercase letter is rejected', 'AA1-AAAA', ['password_classes']],
    ['[USER-17] without a digit is rejected', 'Aaa-aaaa', ['password_classes']],
    ['[USER-17] without a special character is rejected', 'Aa1aaaaa', ['password_classes']],
    ['[USER-18] with < is rejected', 'Aa1-aaa<', ['password_forbidden_characters']],
    ['[USER-18] with > is rejected', 'Aa1-aaa>', ['password_forbidden_characters']],
    ['[USER-18] with & is rejected', 'Aa1-aaa&', ['password_forbidden_characters']],
    ["[USER-18] with ' is rejected", "Aa1-aaa'", ['password_forbidden_characters']],
  ])('%s', (_title, password, problems) => {
    expect(passwordProblems(password)).toEqual(problems);
  });

  test('[USER-15] that is generated has 16 characters, begins with a letter and meets all rules', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const password = generatePassword((n) => numbers.next().value! % n);
        expect(passwordProblems(password)).toEqual([]);
        expect(password).toMatch(/^[A-Z]/);
        expect(password.length).toBe(GENERATED_PASSWORD_LENGTH);
      }),
    );
  });
});
