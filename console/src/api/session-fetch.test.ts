import { ApiError } from './api-error.ts';
import { type ClientEnvironment, createSessionFetch, RETRIES, RETRY_INTERVAL_MS } from './session-fetch.ts';

type Reply = Response | Error;

/** An environment that gives the replies in order (the last one repeatedly) and records the calls. */
function environment(replies: Reply[], change: Partial<ClientEnvironment> = {}) {
  const log: string[] = [];
  let token: string | undefined = 'old';
  const env: ClientEnvironment = {
    fetch: async (request) => {
      log.push(`${request.method} ${request.headers.get('Authorization') ?? '-'}`);
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) as Reply;
      if (reply instanceof Error) throw reply;
      return reply.clone();
    },
    token: () => token,
    refresh: async () => {
      log.push('refresh');
      token = 'new';
      return token;
    },
    endSession: () => log.push('end'),
    requirePasswordChange: () => log.push('change password'),
    wait: async (ms) => void log.push(`wait ${ms}`),
    onRetry: (n) => log.push(`retry ${n}`),
    reload: () => {
      log.push('reload');
      return true;
    },
    ...change,
  };
  return { log, call: createSessionFetch(env) };
}

const get = () => new Request('http://localhost/api/x');
const post = (headers = {}) => new Request('http://localhost/api/x', { method: 'POST', body: '{}', headers });
const reply = (status: number, body: unknown = {}) => new Response(JSON.stringify(body), { status });
const error = (status: number, code: string) =>
  reply(status, { id: 'i', code, message: code, DISPLAY_ERROR_MESSAGE: null, details: null });
const lost = () => new TypeError('fetch failed');

describe('401', () => {
  test('[ERR-01] the token is refreshed and the call is retried without an error', async () => {
    const { log, call } = environment([reply(401), reply(200, { ok: 1 })]);
    expect(await (await call(get())).json()).toEqual({ ok: 1 });
    expect(log).toEqual(['GET Bearer old', 'refresh', 'GET Bearer new']);
  });

  test('the body of a write is sent again', async () => {
    const bodies: string[] = [];
    let first = true;
    const { call } = environment([], {
      fetch: async (request) => {
        bodies.push(await request.text());
        const status = first ? 401 : 200;
        first = false;
        return reply(status);
      },
    });
    await call(post());
    expect(bodies).toEqual(['{}', '{}']);
  });

  test('[ERR-02] a refresh that fails ends the session', async () => {
    const { log, call } = environment([reply(401)], { refresh: async () => undefined });
    await expect(call(get())).rejects.toMatchObject({ status: 401 });
    expect(log).toContain('end');
  });

  test('a server that cannot be reached for the refresh keeps the session', async () => {
    const { log, call } = environment([reply(401)], { refresh: () => Promise.reject(lost()) });
    await expect(call(get())).rejects.toMatchObject({ kind: 'unreachable' });
    expect(log).not.toContain('end');
  });

  test('without a session it is passed to the caller', async () => {
    const { log, call } = environment([error(401, 'login_failed')], { token: () => undefined });
    await expect(call(post())).rejects.toMatchObject({ code: 'login_failed' });
    expect(log).toEqual(['POST -']);
  });
});

describe('403', () => {
  test('[ERR-03] ends the session', async () => {
    const { log, call } = environment([error(403, 'unauthorized')]);
    await expect(call(get())).rejects.toBeInstanceOf(ApiError);
    expect(log).toContain('end');
  });

  test.each(['permission_denied', 'license_required'])('%s keeps the session', async (code) => {
    const { log, call } = environment([error(403, code)]);
    await expect(call(get())).rejects.toMatchObject({ code });
    expect(log).toEqual(['GET Bearer old']);
  });

  test('a password that must be changed leads to its page and keeps the session', async () => {
    const { log, call } = environment([error(403, 'password_change_required')]);
    await expect(call(get())).rejects.toMatchObject({ code: 'password_change_required' });
    expect(log).toEqual(['GET Bearer old', 'change password']);
  });

  test('a locked account ends the session', async () => {
    const { log, call } = environment([error(403, 'account_locked')]);
    await expect(call(post())).rejects.toMatchObject({ code: 'account_locked' });
    expect(log).toContain('end');
  });
});

describe('retries', () => {
  test('[ERR-07] a failing call is retried at intervals of 1 s until it succeeds', async () => {
    const { log, call } = environment([lost(), reply(503), reply(200)]);
    expect((await call(get())).status).toBe(200);
    expect(log.filter((line) => line.startsWith('wait'))).toEqual([`wait ${RETRY_INTERVAL_MS}`, 'wait 1000']);
    expect(log.filter((line) => line.startsWith('retry'))).toEqual(['retry 1', 'retry 2', 'retry 0']);
  });

  test('[ERR-08] after the fifth failed retry the page reloads', async () => {
    const { log, call } = environment([lost()]);
    await expect(call(get())).rejects.toMatchObject({ kind: 'unreachable' });
    expect(log.filter((line) => line.startsWith('GET'))).toHaveLength(1 + RETRIES);
    expect(log.at(-1)).toBe('reload');
  });

  test('a write is not retried, unless it has an idempotency key', async () => {
    const plain = environment([reply(502)]);
    await expect(plain.call(post())).rejects.toMatchObject({ status: 502 });
    expect(plain.log).toEqual(['POST Bearer old']);
    const keyed = environment([lost(), reply(201)]);
    expect((await keyed.call(post({ 'Idempotency-Key': 'k1234567' }))).status).toBe(201);
  });

  test.each([400, 404, 409, 422, 429, 500])('status %d is not retried', async (status) => {
    const { log, call } = environment([reply(status)]);
    await expect(call(get())).rejects.toMatchObject({ status });
    expect(log).toEqual(['GET Bearer old']);
  });
});

test('[ERR-09] a call that exceeds the timeout ends with an error and is not retried', async () => {
  const { log, call } = environment([], {
    timeoutMs: 5,
    fetch: (request) =>
      new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
  });
  await expect(call(get())).rejects.toMatchObject({ kind: 'timeout' });
  expect(log).toEqual([]);
});

test('[ERR-09] the time-out of a call is 600,000 ms', async () => {
  const ended = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(ended.signal);
  const { call } = environment([], {
    fetch: (request) =>
      new Promise((_resolve, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
  });
  const answer = call(get());
  expect(timeout.mock.calls).toEqual([[600_000]]);
  ended.abort();
  await expect(answer).rejects.toMatchObject({ kind: 'timeout' });
  timeout.mockRestore();
});

test('a call aborted by its caller is neither retried nor reported as an api error', async () => {
  const gone = new AbortController();
  gone.abort();
  const { call } = environment([], { fetch: (request) => Promise.reject(request.signal.reason) });
  await expect(call(new Request('http://localhost/x', { signal: gone.signal }))).rejects.toHaveProperty(
    'name',
    'AbortError',
  );
});
