/** SPEC 5: the rules of a password, in the order they are listed. */
export const PASSWORD_RULES = [
  { key: 'length', holds: (password: string) => password.length >= 8 && password.length <= 32 },
  { key: 'upper', holds: (password: string) => /[A-Z]/.test(password) },
  { key: 'lower', holds: (password: string) => /[a-z]/.test(password) },
  { key: 'digit', holds: (password: string) => /\d/.test(password) },
  { key: 'special', holds: (password: string) => /[^A-Za-z0-9\s]/.test(password) },
  { key: 'forbidden', holds: (password: string) => password !== '' && !/[<>&']/.test(password) },
] as const;

export function meetsPasswordRules(password: string): boolean {
  return PASSWORD_RULES.every(({ holds }) => holds(password));
}
