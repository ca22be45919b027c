import createClient from 'openapi-fetch';
import { createRefresh } from '../session/refresh.ts';
import { session } from '../session/session.ts';
import { TabSync } from '../session/tab-sync.ts';
import { takeEarly } from './early-calls.ts';
import type { paths } from './generated.ts';
import { reconnect, reloadOnce } from './reconnect.ts';
import { type ClientEnvironment, createSessionFetch } from './session-fetch.ts';

/** The other tabs of this browser. */
export const tabs = new TabSync(session, new BroadcastChannel('seqpanel-session'));

function postWithoutSession(path: string, body: unknown): Promise<Response> {
  return window.fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function oneTabAtATime<T>(run: () => Promise<T>): Promise<T> {
  return navigator.locks ? (navigator.locks.request('seqpanel-refresh', run) as Promise<T>) : run();
}

/** Gets a new token. Simultaneous callers of all tabs share one request. */
export const refreshToken = createRefresh(session, postWithoutSession, oneTabAtATime, () => tabs.ask());

const browser: ClientEnvironment = {
  fetch: (request) => takeEarly(request) ?? window.fetch(request),
  token: () => session.get()?.token,
  refresh: refreshToken,
  endSession: () => session.end('forbidden'),
  requirePasswordChange: () => session.requirePasswordChange(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  onRetry: reconnect.set,
  reload: () => reloadOnce(),
};

/** The console's fetch (see createSessionFetch), also for files and logs. */
export const sessionFetch = createSessionFetch(browser);

/** Every call of the contract, typed by it. Use with `answer`. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: sessionFetch });

/** The fetch of calls without a session, whose 401 does not end one. */
export const publicFetch = createSessionFetch({ ...browser, token: () => undefined });

/** Calls without a session (login, verify). */
export const publicApi = createClient<paths>({ baseUrl: window.location.origin, fetch: publicFetch });

/**
 * Returns the body of a call's answer. Failures were thrown as ApiError.
 *
 * @example const list = await answer(api.GET('/api/v1/pivat/{group}/projects', { params: { path: { group } } }));
 */
export async function answer<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}
