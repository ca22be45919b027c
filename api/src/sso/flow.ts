/**
 * State of a login between the redirect to the provider and the return, sealed in a cookie. Any process can finish what
 * another began, and abandoned logins leave nothing behind.
 */
import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt } from 'jose';

export interface Flow {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  verifier: string;
}

/** With the prefix, browsers accept the cookie only from this host and only over https (RFC 6265bis 4.1.3.2). */
export const flowCookieName = (secure: boolean): string => `${secure ? '__Host-' : ''}seqpanel_sso`;
/** Time to log in at the provider, possibly with a second factor. */
export const FLOW_MINUTES = 10;

export interface FlowSeal {
  seal(flow: Flow): Promise<string>;
  /** Undefined for a value that is invalid, changed or too old. */
  open(sealed: string): Promise<Flow | undefined>;
}

export function createFlowSeal(secret: Buffer, now: () => Date): FlowSeal {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'seqpanel sso flow', 32));
  return {
    seal: ({ state, nonce, verifier }) =>
      new EncryptJWT({ state, nonce, verifier })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(new Date(now().getTime() + FLOW_MINUTES * 60_000))
        .encrypt(key),
    open: async (sealed) => {
      try {
        const { payload } = await jwtDecrypt(sealed, key, { currentDate: now() });
        return payload as unknown as Flow;
      } catch {
        return undefined;
      }
    },
  };
}

/** Returns the value of a cookie from a request's `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** `Lax`, because the cookie must be sent when the provider redirects back. `__Host-` requires `Path=/`. */
export const flowCookie = (value: string, secure: boolean): string =>
  `${flowCookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${value ? FLOW_MINUTES * 60 : 0}${secure ? '; Secure' : ''}`;
