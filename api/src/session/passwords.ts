/** Hashing of passwords: argon2id, OWASP's 19 MiB, 2 passes, 1 lane; 12 to 40 ms a time. */

const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const; // 2 = argon2id

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes as long without a hash as with one, so that time does not tell whether a user exists. */
  verify(hash: string | null | undefined, password: string): Promise<boolean>;
}

/** The native module is loaded with the first password: a process at rest does without it. */
export function createPasswordHasher(): PasswordHasher {
  const load = () => import('@node-rs/argon2');
  let decoy: Promise<string> | undefined;
  const hash = async (password: string): Promise<string> => (await load()).hash(password, OPTIONS);
  return {
    hash,
    verify: async (stored, password) => {
      decoy ??= hash('no user has this password');
      const against = stored ?? (await decoy);
      const same = await (await load()).verify(against, password);
      return same && stored !== null && stored !== undefined;
    },
  };
}
