/** Hashes passwords with argon2id and OWASP's parameters (19 MiB, 2 passes, 1 lane): 12 to 40 ms each. */
import { AppError } from '../errors.ts';
import { createBoundedWork } from './bounded-work.ts';

const OPTIONS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const; // 2 = argon2id

/** Half of libuv's four threads. The others stay free for files. */
const HASHES_AT_ONCE = 2;
/** About half a second of hashing. */
const HASHES_WAITING = 32;

export interface PasswordHasher {
  /** Both throw a 503 when too many passwords wait for hashing. */
  hash(password: string): Promise<string>;
  /** Takes equally long without a hash, so that the time does not reveal whether a user exists. */
  verify(hash: string | null | undefined, password: string): Promise<boolean>;
}

/** Loads the native module with the first password, so that an idle process does without it. */
export function createPasswordHasher(limits = { running: HASHES_AT_ONCE, waiting: HASHES_WAITING }): PasswordHasher {
  const load = () => import('@node-rs/argon2');
  const bounded = createBoundedWork(limits, () => new AppError(503, 'unavailable'));
  let decoy: Promise<string> | undefined;
  return {
    hash: (password) => bounded(async () => (await load()).hash(password, OPTIONS)),
    verify: (stored, password) =>
      bounded(async () => {
        const { hash, verify } = await load();
        decoy ??= hash('no user has this password', OPTIONS);
        const same = await verify(stored ?? (await decoy), password);
        return same && stored !== null && stored !== undefined;
      }),
  };
}
