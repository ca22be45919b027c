import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../api/api-error.ts';
import { answer, api, publicApi, refreshToken } from '../api/client.ts';
import { session, sessionOf } from '../session/session.ts';
import { VERIFY_PATH } from '../session/verify-path.ts';

/** Logs in and fills the session. Throws ApiError with the code of the rejection. */
export async function login(username: string, password: string) {
  const { token, refresh_token, profile } = await answer(
    publicApi.POST('/auth/login', { body: { username, password } }),
  );
  session.set(sessionOf(profile, { token, refresh_token }));
  return profile;
}

/** Ways to log in besides username and password. Empty after a failure. */
export const useSignInOptions = () =>
  useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => answer(publicApi.GET('/auth/options')),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

const SSO_NEXT = 'seqpanel.sso-next';

/** Redirects to the login provider; `next` is the page to open afterwards. */
export async function beginSso(next: string): Promise<void> {
  const { location } = await answer(publicApi.POST('/auth/sso/begin'));
  window.sessionStorage.setItem(SSO_NEXT, next);
  window.location.assign(location);
}

/**
 * Completes the login that beginSso started, with the query from the provider. Fills the session and returns `next`.
 */
export async function finishSso(query: string): Promise<string | null> {
  const { token, refresh_token, profile } = await answer(publicApi.POST('/auth/sso/finish', { body: { query } }));
  session.set(sessionOf(profile, { token, refresh_token }));
  const next = window.sessionStorage.getItem(SSO_NEXT);
  window.sessionStorage.removeItem(SSO_NEXT);
  return next;
}

/** Posts the refresh token, clears the session and opens /login, with any answer of the server. */
export async function logout(): Promise<void> {
  const refresh = session.get()?.refresh_token;
  try {
    if (refresh) await answer(api.POST('/auth/logout', { body: { refresh_token: refresh } }));
  } catch {
    // The session ends here in any case. On the server it ends when its refresh token expires.
  } finally {
    session.end('logout');
  }
}

let verifying: Promise<boolean> | undefined;

/**
 * True when the stored token is good, or could be refreshed. An unreachable server says nothing about the
 * token; the page's own calls report it. Callers at the same time share one call.
 */
export function verifySession(): Promise<boolean> {
  verifying ??= verify().finally(() => {
    verifying = undefined;
  });
  return verifying;
}

async function verify(): Promise<boolean> {
  const token = session.get()?.token;
  if (token === undefined) return false;
  try {
    await answer(publicApi.POST(VERIFY_PATH, { body: { token } }));
    return true;
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'answered' || error.status >= 500) return true;
    const next = await refreshToken(token).catch(() => token);
    return next !== undefined;
  }
}

/** Reads the group list again when the session has lost it. After a failure it stays missing. */
export async function readGroups(): Promise<void> {
  if (session.get()?.groups) return;
  const profile = await answer(api.GET('/api/v1/pivat/profile')).catch(() => undefined);
  if (profile) session.update({ groups: profile.groups });
}
