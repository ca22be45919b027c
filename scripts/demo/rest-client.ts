/** Client of the public REST API. The demo and the tests use the product through it, like a user's script. */

export interface RestError {
  status: number;
  code: string;
  message: string;
}

/** Error answer of the api. `code` is the stable code of the message catalogue. */
export class RestFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(call: string, error: RestError) {
    super(`${call}: ${error.message} (${error.status} ${error.code})`);
    this.status = error.status;
    this.code = error.code;
  }
}

export interface RestClient {
  readonly baseUrl: string;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  delete(path: string): Promise<void>;
  postForm<T>(path: string, form: FormData): Promise<T>;
  /** Sends a request with the caller's token and returns the raw answer. Does not throw on a status. */
  raw(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the session. */
  logOut(): Promise<void>;
}

/** Base path of all calls except login. */
export const API = '/api/v1/pivat';

interface Tokens {
  token: string;
  refresh_token: string;
}

/** Logs in and returns a client that refreshes its token when it expires. Paths start with `/`. */
export async function logIn(baseUrl: string, username: string, password: string): Promise<RestClient> {
  const tokens = await answer<Tokens>('login', await sendJson(`${baseUrl}/auth/login`, 'POST', { username, password }));
  let refreshing: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    const response = await sendJson(`${baseUrl}${API}/api-token-refresh`, 'POST', { refresh: tokens.refresh_token });
    const fresh = await answer<{ access: string; refresh: string }>('refresh', response);
    tokens.token = fresh.access;
    tokens.refresh_token = fresh.refresh;
  };

  const raw = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const send = (): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${tokens.token}`);
      return fetch(`${baseUrl}${path}`, { ...init, headers });
    };
    const first = await send();
    if (first.status !== 401) return first;
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
    return send();
  };

  const json = async <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> =>
    answer<T>(
      `${method} ${path}`,
      await raw(path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );

  return {
    baseUrl,
    raw,
    get: (path) => json('GET', path),
    post: (path, body, headers) => json('POST', path, body, headers),
    put: (path, body) => json('PUT', path, body),
    delete: (path) => json('DELETE', path),
    logOut: () => json('POST', '/auth/logout', { refresh_token: tokens.refresh_token }),
    postForm: async (path, form) => answer(`POST ${path}`, await raw(path, { method: 'POST', body: form })),
  };
}

function sendJson(url: string, method: string, body: unknown): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

async function answer<T>(call: string, response: Response): Promise<T> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  if (response.ok) return (text === '' || !isJson ? undefined : JSON.parse(text)) as T;
  const error = isJson
    ? (JSON.parse(text) as { code: string; message: string; DISPLAY_ERROR_MESSAGE?: string; details?: unknown })
    : undefined;
  const details =
    error?.details === undefined || error.details === null ? '' : ` ${JSON.stringify(error.details).slice(0, 600)}`;
  throw new RestFailure(call, {
    status: response.status,
    code: error?.code ?? 'no_code',
    message: (error?.DISPLAY_ERROR_MESSAGE ?? error?.message ?? (text.slice(0, 200) || response.statusText)) + details,
  });
}
