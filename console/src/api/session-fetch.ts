import { ApiError, type ErrorAnswer, isErrorAnswer } from './api-error.ts';

/** A request times out after this. */
export const REQUEST_TIMEOUT_MS = 600_000;
/** Failing requests are retried up to 5 times at intervals of 1 s, then the page reloads. */
export const RETRIES = 5;
export const RETRY_INTERVAL_MS = 1_000;

/** Environment of the fetch client in the browser; tests pass fakes. */
export interface ClientEnvironment {
  fetch: (request: Request) => Promise<Response>;
  /** The bearer token, if there is a session. */
  token: () => string | undefined;
  /** Gets a new token; simultaneous callers share one request. Undefined when the session has ended. */
  refresh: (usedToken: string) => Promise<string | undefined>;
  /** Ends the session: shows the message, clears the tokens, opens /login after 0.5 s. */
  endSession: () => void;
  /** Opens the page that changes a one-time password. Keeps the session. */
  requirePasswordChange: () => void;
  wait: (ms: number) => Promise<void>;
  /** Number of the running retry, 1 to RETRIES; 0 after a successful call. */
  onRetry: (attempt: number) => void;
  /** Called after the last retry. Returns false when the page was just reloaded for the same reason. */
  reload: () => boolean;
  timeoutMs?: number;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Rejections that keep the session. */
const KEEPS_SESSION = new Set(['permission_denied', 'license_required', 'password_change_required']);
const GATEWAY_STATUSES = new Set([502, 503, 504]);

/** Retries idempotent calls only, because a retry of another call could act twice. */
export function mayRepeat(request: Request): boolean {
  return SAFE_METHODS.has(request.method) || request.headers.has('Idempotency-Key');
}

/**
 * The fetch of the console: bearer token, timeout, refresh and retry on 401, end of the session on 401 and 403 (except
 * KEEPS_SESSION), retries. Resolves with successful answers only; throws ApiError otherwise.
 */
export function createSessionFetch(env: ClientEnvironment): (request: Request) => Promise<Response> {
  return async (request) => {
    const first = env.token();
    let response = await attempt(env, request, first);
    if (response.status === 401 && first !== undefined) {
      const next = await env.refresh(first).catch(() => {
        throw new ApiError('unreachable', request);
      });
      if (next !== undefined) response = await attempt(env, request, next);
      if (next === undefined || response.status === 401) env.endSession();
    }
    if (response.ok) return response;
    const answer = await readAnswer(response);
    if (response.status === 403 && first !== undefined) {
      if (answer?.code === 'password_change_required') env.requirePasswordChange();
      if (!KEEPS_SESSION.has(answer?.code ?? '')) env.endSession();
    }
    throw new ApiError('answered', request, response.status, answer);
  };
}

/** Makes one call with its retries. Clones the body, so that it can be sent again. */
async function attempt(env: ClientEnvironment, request: Request, token: string | undefined): Promise<Response> {
  for (let retry = 0; ; retry++) {
    const outcome = await send(env, request, token);
    const failed = outcome instanceof ApiError || GATEWAY_STATUSES.has(outcome.status);
    const timedOut = outcome instanceof ApiError && outcome.kind === 'timeout';
    if (!failed || timedOut || !mayRepeat(request)) {
      if (retry > 0) env.onRetry(0);
      if (outcome instanceof ApiError) throw outcome;
      return outcome;
    }
    if (retry === RETRIES) {
      if (!env.reload()) env.onRetry(0);
      if (outcome instanceof ApiError) throw outcome;
      return outcome;
    }
    env.onRetry(retry + 1);
    await env.wait(RETRY_INTERVAL_MS);
    request.signal?.throwIfAborted();
  }
}

async function send(env: ClientEnvironment, request: Request, token: string | undefined): Promise<Response | ApiError> {
  const timeout = AbortSignal.timeout(env.timeoutMs ?? REQUEST_TIMEOUT_MS);
  const headers = new Headers(request.headers);
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  try {
    const signal = AbortSignal.any([request.signal, timeout]);
    return await env.fetch(new Request(request.clone(), { headers, signal }));
  } catch (error) {
    if (request.signal.aborted) throw error;
    return new ApiError(timeout.aborted ? 'timeout' : 'unreachable', request);
  }
}

async function readAnswer(response: Response): Promise<ErrorAnswer | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  return isErrorAnswer(body) ? body : undefined;
}
