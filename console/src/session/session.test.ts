import { buildProfile } from '../../test/profiles.ts';
import { createRefresh } from './refresh.ts';
import { SessionStore, sessionOf } from './session.ts';
import { TabSync } from './tab-sync.ts';

const tokens = { token: 't1', refresh_token: 'r1' };
const start = () => {
  window.sessionStorage.clear();
  const store = new SessionStore(window.sessionStorage);
  store.set(sessionOf(buildProfile(), tokens));
  return store;
};

test('[AUTH-14] [AUTH-15] the browser session holds every session value, and each group its three', () => {
  start();
  const stored = { ...window.sessionStorage } as Record<string, string>;
  expect(Object.keys(stored).sort()).toEqual(
    [
      'auto_logout_timeout',
      'autogrouping_rule',
      'email',
      'groups',
      'is_staff',
      'is_superuser',
      'lang',
      'organization',
      'refresh_token',
      'token',
      'user_id',
      'username',
    ].sort(),
  );
  expect(JSON.parse(stored['groups'] ?? '')[0]).toMatchObject({
    id: expect.any(String),
    is_default: true,
    is_group_admin: false,
  });
});

test('the session survives a reload', () => {
  start();
  expect(new SessionStore(window.sessionStorage).get()).toMatchObject({ username: 'mei', token: 't1' });
});

test('the end of the session clears every value; drafts of forms are kept unless the user logged out', () => {
  const store = start();
  window.sessionStorage.setItem('draft.preset', '{}');
  store.end('idle');
  expect(Object.keys(window.sessionStorage)).toEqual(['draft.preset']);
  const again = start();
  window.sessionStorage.setItem('draft.preset', '{}');
  again.end('logout');
  expect(window.sessionStorage).toHaveLength(0);
});

describe('refresh', () => {
  const ok = async () => new Response(JSON.stringify({ access: 't2', refresh: 'r2' }));

  test('simultaneous callers wait for one refresh, and the new refresh token is stored', async () => {
    const store = start();
    let calls = 0;
    const refresh = createRefresh(store, async () => {
      calls++;
      return ok();
    });
    expect(await Promise.all([refresh('t1'), refresh('t1'), refresh('t1')])).toEqual(['t2', 't2', 't2']);
    expect(calls).toBe(1);
    expect(store.get()).toMatchObject({ token: 't2', refresh_token: 'r2' });
  });

  test('a token refreshed by another tab is used without a call', async () => {
    const store = start();
    const refresh = createRefresh(
      store,
      () => Promise.reject(new Error('no call')),
      undefined,
      async () => store.update({ token: 't9', refresh_token: 'r9' }),
    );
    expect(await refresh('t1')).toBe('t9');
  });

  test('a rejected refresh token returns undefined; a broken server, or one with too many calls, throws', async () => {
    const refused = createRefresh(start(), async () => new Response('{}', { status: 401 }));
    expect(await refused('t1')).toBeUndefined();
    const broken = createRefresh(start(), async () => new Response('', { status: 503 }));
    await expect(broken('t1')).rejects.toThrow('503');
    const busy = createRefresh(start(), async () => new Response('{}', { status: 429 }));
    await expect(busy('t1')).rejects.toThrow('429');
  });
});

describe('tabs', () => {
  /** Channels of one browser: a message of one reaches all others. */
  function channels(n: number): BroadcastChannel[] {
    const all = Array.from({ length: n }, () => ({ onmessage: null as ((event: unknown) => void) | null }));
    return all.map((own) =>
      Object.assign(own, {
        postMessage: (data: unknown) => {
          for (const other of all) if (other !== own) other.onmessage?.({ data });
        },
      }),
    ) as unknown as BroadcastChannel[];
  }
  function memory(): Storage {
    const values = new Map<string, string>();
    return {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
      removeItem: (key: string) => void values.delete(key),
      clear: () => values.clear(),
    } as unknown as Storage;
  }

  test('a new tab takes over the session of the others; a logout ends all of them', async () => {
    const [a, b] = channels(2) as [BroadcastChannel, BroadcastChannel];
    const one = new SessionStore(memory());
    new TabSync(one, a);
    one.set(sessionOf(buildProfile(), tokens));
    const two = new SessionStore(memory());
    const sync = new TabSync(two, b);
    await sync.ask();
    expect(two.get()).toMatchObject({ token: 't1' });
    one.update({ token: 't2' });
    expect(two.get()).toMatchObject({ token: 't2' });
    two.end('logout');
    expect(one.get()).toBeUndefined();
  });
});
