/** Signs tokens (HS256) and generates random ones. Imports the key once, which is four times as fast. */
import { createHash, randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { type AccessClaims, VerifiedTokens } from './verified-tokens.ts';

/** Lifetime of an access token. Its session and account are also checked on every call. */
export const ACCESS_MINUTES = 15;
/** Long enough for a long session in IGV. A file token also ends with its session. */
export const FILE_TOKEN_HOURS = 12;

const ISSUER = 'seqpanel';

export interface Tokens {
  signAccess(claims: AccessClaims): Promise<string>;
  /** Undefined for a token that is invalid, expired or issued for another purpose. */
  verifyAccess(token: string): Promise<AccessClaims | undefined>;
  /** `subject` names the one object that the token opens, such as `project-file:<id>`. */
  signFile(subject: string, claims: AccessClaims): Promise<{ token: string; expires: Date }>;
  /** Returns the claims it was issued with. The caller checks that session and account still exist. */
  verifyFile(token: string, subject: string): Promise<AccessClaims | undefined>;
}

export async function createTokens(secret: Buffer, now: () => Date): Promise<Tokens> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  const verified = new VerifiedTokens(now);
  const sign = (audience: string, subject: string, expires: Date, more: Record<string, string> = {}) =>
    new SignJWT(more)
      .setProtectedHeader({ alg: 'HS256', typ: audience })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(now())
      .setExpirationTime(expires)
      .sign(key);
  const verify = async (token: string, audience: string) => {
    try {
      const options = { algorithms: ['HS256'], issuer: ISSUER, audience, typ: audience, currentDate: now() };
      return (await jwtVerify(token, key, options)).payload;
    } catch {
      return undefined;
    }
  };
  return {
    signAccess: ({ userId, sessionId }) =>
      sign('access', userId, new Date(now().getTime() + ACCESS_MINUTES * 60_000), { sid: sessionId }),
    verifyAccess: async (token) => {
      const known = verified.claimsOf(token);
      if (known) return known;
      const payload = await verify(token, 'access');
      if (!payload?.sub || typeof payload['sid'] !== 'string' || payload.exp === undefined) return undefined;
      const claims = { userId: payload.sub, sessionId: payload['sid'] };
      verified.add(token, { claims, expires: payload.exp * 1000 });
      return claims;
    },
    signFile: async (subject, { userId, sessionId }) => {
      const expires = new Date(now().getTime() + FILE_TOKEN_HOURS * 3_600_000);
      return { token: await sign('file', subject, expires, { uid: userId, sid: sessionId }), expires };
    },
    verifyFile: async (token, subject) => {
      const payload = await verify(token, 'file');
      const { uid, sid } = (payload ?? {}) as { uid?: unknown; sid?: unknown };
      if (payload?.sub !== subject || typeof uid !== 'string' || typeof sid !== 'string') return undefined;
      return { userId: uid, sessionId: sid };
    },
  };
}

/** Generates a refresh token of 256 random bits. Only its hash is stored. */
export const newRefreshToken = (): string => randomBytes(32).toString('base64url');
export const hashOfRefreshToken = (token: string): Buffer => createHash('sha256').update(token).digest();
