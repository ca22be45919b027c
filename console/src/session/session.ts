import type { components } from '../api/generated.ts';

export type Profile = components['schemas']['Profile'];
export type SessionGroup = Profile['groups'][number];

/** Session values kept in the browser. `auto_logout_timeout` in minutes; null = the default of 30. */
export interface Session {
  is_superuser: boolean;
  is_staff: boolean;
  organization: string;
  user_id: string;
  email: string;
  auto_logout_timeout: number | null;
  autogrouping_rule: string;
  token: string;
  refresh_token: string;
  lang: string;
  username: string;
  groups: SessionGroup[] | undefined;
}

/**
 * Reason why a session ended, for the login page. `forbidden`: refresh failed, or 403. `invalid_token`: invalid token
 * on entry. `idle`: no activity.
 */
export type SessionEnd = 'logout' | 'forbidden' | 'invalid_token' | 'idle';

const KEYS = [
  'is_superuser',
  'is_staff',
  'organization',
  'user_id',
  'email',
  'auto_logout_timeout',
  'autogrouping_rule',
  'token',
  'refresh_token',
  'lang',
  'username',
  'groups',
] as const satisfies readonly (keyof Session)[];

/** Returns the session values of a profile. */
export function sessionOf(profile: Profile, tokens: { token: string; refresh_token: string }): Session {
  return {
    is_superuser: profile.is_superuser,
    is_staff: profile.is_staff,
    organization: profile.organization,
    user_id: profile.user_id,
    email: profile.email,
    auto_logout_timeout: profile.auto_logout_timeout,
    autogrouping_rule: profile.autogrouping_rule,
    lang: profile.lang,
    username: profile.username,
    groups: profile.groups,
    ...tokens,
  };
}

/** The session in the browser's session storage, one entry per value. Notifies subscribers of changes. */
export class SessionStore {
  readonly #storage: Storage;
  readonly #listeners = new Set<() => void>();
  readonly #endListeners = new Set<(reason: SessionEnd) => void>();
  readonly #passwordListeners = new Set<() => void>();
  #session: Session | undefined;
  #ended: SessionEnd | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#session = readSession(storage);
  }

  get = (): Session | undefined => this.#session;

  /** Reason why the last session ended, shown on the login page. */
  get ended(): SessionEnd | undefined {
    return this.#ended;
  }

  set(session: Session): void {
    this.#session = session;
    this.#ended = undefined;
    for (const key of KEYS) {
      if (session[key] === undefined) this.#storage.removeItem(key);
      else this.#storage.setItem(key, JSON.stringify(session[key]));
    }
    this.#tell();
  }

  update(change: Partial<Session>): void {
    if (this.#session) this.set({ ...this.#session, ...change });
  }

  /**
   * Clears the stored values and notifies the listener that redirects to /login. Keeps drafts of forms unless the user
   * logged out. Does nothing when the session has ended.
   */
  end(reason: SessionEnd): void {
    if (!this.#session) return;
    this.#session = undefined;
    this.#ended = reason;
    if (reason === 'logout') this.#storage.clear();
    for (const key of KEYS) this.#storage.removeItem(key);
    this.#tell();
    for (const listener of this.#endListeners) listener(reason);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  onEnd(listener: (reason: SessionEnd) => void): () => void {
    this.#endListeners.add(listener);
    return () => void this.#endListeners.delete(listener);
  }

  /** The server rejects all other calls until the password is changed. */
  requirePasswordChange(): void {
    for (const listener of this.#passwordListeners) listener();
  }

  onPasswordChangeRequired(listener: () => void): () => void {
    this.#passwordListeners.add(listener);
    return () => void this.#passwordListeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function readSession(storage: Storage): Session | undefined {
  const values: Record<string, unknown> = {};
  for (const key of KEYS) {
    const text = storage.getItem(key);
    if (text === null) continue;
    try {
      values[key] = JSON.parse(text);
    } catch {
      return undefined;
    }
  }
  return typeof values['token'] === 'string' ? (values as unknown as Session) : undefined;
}

export const session = new SessionStore(window.sessionStorage);
