/** Refresh tokens. Each can be used once, to get the next one. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { AppUserTable, RefreshTokenTable, SessionTable } from '../db/tables/accounts.ts';
import { withTransaction } from '../db/transaction.ts';
import { Unauthorized } from '../errors.ts';
import { type Origin, recordAuthEvent } from './auth-events.ts';
import { endSession, type NewSession } from './session-store.ts';
import { hashOfRefreshToken, newRefreshToken } from './tokens.ts';

/** A token with its session and its user's name. */
type FoundToken = RefreshTokenTable &
  Pick<SessionTable, 'user_id' | 'ended'> &
  Pick<AppUserTable, 'username'> & { session_expires: Date };

/** Lifetime of a refresh token, and so the longest time that a tab may stay closed. */
export const REFRESH_HOURS = 24;
/** Two tabs may use the same token at once. Later reuse counts as theft (RFC 9700 4.14.2). */
export const REUSE_GRACE_SECONDS = 10;

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

export async function addRefreshToken(trx: Knex, sessionId: string, now: Date): Promise<string> {
  const token = newRefreshToken();
  await trx('refresh_token').insert({
    hash: hashOfRefreshToken(token),
    session_id: sessionId,
    created: now,
    expires: after(now, REFRESH_HOURS * 3600),
  });
  return token;
}

/**
 * Exchanges a refresh token for the next one. Throws Unauthorized. Reuse within the grace time returns the same next
 * token, so that a session has one line of tokens; later reuse ends the session.
 */
export async function rotate(
  db: Knex,
  token: string,
  origin: Origin,
  now: Date,
): Promise<NewSession & { userId: string }> {
  const outcome = await withTransaction(db, async (trx) => {
    const found: FoundToken | undefined = await trx('refresh_token as t')
      .join('session as s', 's.id', 't.session_id')
      .join('app_user as u', 'u.id', 's.user_id')
      .where('t.hash', hashOfRefreshToken(token))
      .forUpdate('t')
      .first('t.*', 's.user_id', 's.ended', 's.expires as session_expires', 'u.username');
    if (!found || found.ended || found.expires <= now || found.session_expires <= now) return undefined;
    const session = { sessionId: found.session_id, userId: found.user_id };
    if (found.used) {
      if (after(found.used, REUSE_GRACE_SECONDS) >= now)
        return found.successor ? { ...session, refreshToken: open(token, found.successor) } : undefined;
      await endSession(trx, session.sessionId, 'refresh_token_reused', now);
      const actor = { userId: session.userId, username: found.username, ...origin };
      const event = { action: 'refresh_reuse', outcome: 'failure', sessionId: session.sessionId } as const;
      await recordAuthEvent(trx, actor, event, now);
      return undefined; // not thrown here, because the end of the session must be committed
    }
    const refreshToken = await addRefreshToken(trx, session.sessionId, now);
    await trx('refresh_token')
      .where({ hash: found.hash })
      .update({ used: now, successor: seal(token, refreshToken) });
    return { ...session, refreshToken };
  });
  if (!outcome) throw new Unauthorized('token_invalid');
  return outcome;
}

/** Stores only the hash of a token. The successor is derived from the token itself, so the row reveals nothing. */
const keyOf = (token: string): Buffer => Buffer.from(hkdfSync('sha256', token, '', 'seqpanel refresh successor', 32));

function seal(token: string, successor: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(token), nonce);
  return Buffer.concat([nonce, cipher.update(successor, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

function open(token: string, sealed: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', keyOf(token), sealed.subarray(0, 12));
  cipher.setAuthTag(sealed.subarray(-16));
  return cipher.update(sealed.subarray(12, -16), undefined, 'utf8') + cipher.final('utf8');
}
