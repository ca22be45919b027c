import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { addRefreshToken } from './refresh-tokens.ts';
import type { NewSession } from './session-store.ts';

/** Maximum lifetime of a session. */
export const SESSION_DAYS = 7;

export async function openSession(trx: Knex, userId: string, now: Date): Promise<NewSession> {
  const sessionId = randomUUID();
  await trx('session').insert({
    id: sessionId,
    user_id: userId,
    created: now,
    active: now,
    expires: new Date(now.getTime() + SESSION_DAYS * 86_400_000),
  });
  return { sessionId, refreshToken: await addRefreshToken(trx, sessionId, now) };
}
