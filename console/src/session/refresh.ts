import type { SessionStore } from './session.ts';

const REFRESH_PATH = '/api/v1/pivat/api-token-refresh';

/**
 * Creates the single-flight refresh: all calls that get a 401 at the same time wait for one refresh. `lock` runs a
 * function while no other tab does (Web Locks). `sync` adopts tokens that another tab has refreshed meanwhile.
 *
 * Returns the new token, or undefined when the refresh token is rejected. Throws when the server is unreachable or has
 * too many calls, because the session may still be valid.
 */
export function createRefresh(
  store: SessionStore,
  post: (path: string, body: unknown) => Promise<Response>,
  lock: <T>(run: () => Promise<T>) => Promise<T> = (run) => run(),
  sync: () => Promise<void> = () => Promise.resolve(),
): (usedToken: string) => Promise<string | undefined> {
  let running: Promise<string | undefined> | undefined;

  async function refresh(usedToken: string): Promise<string | undefined> {
    await sync();
    const current = store.get();
    if (!current) return undefined;
    if (current.token !== usedToken) return current.token;
    const response = await post(REFRESH_PATH, { refresh: current.refresh_token });
    if (response.status >= 500 || response.status === 429) throw new TypeError(`refresh answered ${response.status}`);
    if (!response.ok) return undefined;
    const body = (await response.json()) as { access: string; refresh?: string };
    store.update({ token: body.access, refresh_token: body.refresh ?? current.refresh_token });
    return body.access;
  }

  return (usedToken) => {
    running ??= lock(() => refresh(usedToken)).finally(() => {
      running = undefined;
    });
    return running;
  };
}
