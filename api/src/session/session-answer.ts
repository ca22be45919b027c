/** Builds the answer to every kind of login: both tokens and the values that the browser session keeps [AUTH-14]. */
import type { Response } from 'express';
import type { AnswerOf, Deps } from '../feature.ts';
import { readProfile } from './profile.ts';
import type { NewSession } from './session-store.ts';
import type { Tokens } from './tokens.ts';

export async function sessionAnswer(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  tokens: Tokens,
  { userId, sessionId, refreshToken }: NewSession & { userId: string },
  res: Response,
): Promise<AnswerOf<'login'>> {
  res.setHeader('Cache-Control', 'no-store');
  return {
    token: await tokens.signAccess({ userId, sessionId }),
    refresh_token: refreshToken,
    profile: await readProfile(db, userId, now()),
  };
}
