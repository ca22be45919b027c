import { VerifiedTokens } from './verified-tokens.ts';

const CLAIMS = { userId: 'u', sessionId: 's' };

test('a token is known until it expires', () => {
  let now = 0;
  const tokens = new VerifiedTokens(() => new Date(now));
  tokens.add('t', { claims: CLAIMS, expires: 1000 });
  now = 999;
  expect(tokens.claimsOf('t')).toEqual(CLAIMS);
  now = 1000;
  expect(tokens.claimsOf('t')).toBeUndefined();
});

test('a new token evicts the oldest', () => {
  const tokens = new VerifiedTokens(() => new Date(0), 2);
  for (const token of ['a', 'b', 'c']) tokens.add(token, { claims: CLAIMS, expires: 1 });
  expect(['a', 'b', 'c'].map((token) => tokens.claimsOf(token) !== undefined)).toEqual([false, true, true]);
});
