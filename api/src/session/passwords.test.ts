import { expect, test } from '@jest/globals';
import { createPasswordHasher } from './passwords.ts';

test('passwords are hashed with argon2id at 19 MiB, 2 passes, 1 lane, each with a salt of its own', async () => {
  const hasher = createPasswordHasher();
  const [a, b] = await Promise.all([hasher.hash('Right-Horse7'), hasher.hash('Right-Horse7')]);
  expect(a).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(a).not.toBe(b);
  expect(await hasher.verify(a, 'Right-Horse7')).toBe(true);
  expect(await hasher.verify(a, 'right-horse7')).toBe(false);
});

test('without a hash every password fails, after the same work', async () => {
  const hasher = createPasswordHasher();
  await hasher.verify(undefined, 'x'); // makes the decoy
  const began = performance.now();
  expect(await hasher.verify(undefined, 'no user has this password')).toBe(false);
  expect(performance.now() - began).toBeGreaterThan(3); // a look-up alone would take no time
});
