/**
 * Errors of Kubernetes API calls. A rejected request throws a subclass of KubeError, no answer throws ConnectionError.
 * Status codes are compared only here.
 */

import type { StatusBody } from './objects.ts';

export class KubeError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly body: StatusBody;
  /** Seconds to wait, from Retry-After or the Status body. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: StatusBody, retryAfter?: number) {
    super(body.message ?? `the Kubernetes API answered ${status}`);
    this.name = new.target.name;
    this.status = status;
    this.reason = body.reason ?? '';
    this.body = body;
    this.retryAfter = retryAfter ?? body.details?.retryAfterSeconds;
  }
}

export class BadRequest extends KubeError {}
export class Unauthorized extends KubeError {}
export class Forbidden extends KubeError {}
export class NotFound extends KubeError {}
/** The object has changed since it was read (resourceVersion or a precondition does not match). */
export class Conflict extends KubeError {}
export class AlreadyExists extends KubeError {}
/** The resource version or continue token is too old: list again. */
export class Gone extends KubeError {}
/** 422: the object violates the schema or a rule. The message names the field. */
export class Invalid extends KubeError {}
export class TooManyRequests extends KubeError {}
/** 5xx: the server, or a proxy before it, cannot answer now. */
export class ServerUnavailable extends KubeError {}

/** No answer: refused, reset, timed out or interrupted. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
    this.code = code;
  }
}

/** Returns the typed error of an answer. */
export function errorFor(status: number, body: StatusBody, retryAfter?: number): KubeError {
  const make = (Type: new (status: number, body: StatusBody, retryAfter?: number) => KubeError): KubeError =>
    new Type(status, body, retryAfter);
  switch (status) {
    case 400:
      return make(BadRequest);
    case 401:
      return make(Unauthorized);
    case 403:
      return make(Forbidden);
    case 404:
      return make(NotFound);
    case 409:
      return make(body.reason === 'AlreadyExists' ? AlreadyExists : Conflict);
    case 410:
      return make(Gone);
    case 422:
      return make(Invalid);
    case 429:
      return make(TooManyRequests);
    default:
      return make(status >= 500 ? ServerUnavailable : KubeError);
  }
}

export const isNotFound = (error: unknown): error is NotFound => error instanceof NotFound;
export const isConflict = (error: unknown): error is Conflict => error instanceof Conflict;
export const isAlreadyExists = (error: unknown): error is AlreadyExists => error instanceof AlreadyExists;
export const isForbidden = (error: unknown): error is Forbidden => error instanceof Forbidden;
export const isInvalid = (error: unknown): error is Invalid => error instanceof Invalid;
export const isTooManyRequests = (error: unknown): error is TooManyRequests => error instanceof TooManyRequests;
/** The API server's 410, as an HTTP answer or as `reason: Expired` inside a watch. */
export const isExpired = (error: unknown): boolean =>
  error instanceof Gone || (error instanceof KubeError && (error.reason === 'Expired' || error.reason === 'Gone'));
/** Reports an abort by the caller. Compares the name because an abort's reason may be a DOMException of another realm. */
export const isAbort = (error: unknown): boolean => {
  const name = (error as { name?: unknown } | undefined)?.name;
  return name === 'AbortError' || name === 'TimeoutError';
};
/** Reports whether a retry may succeed: no answer, 5xx, 429, or a token about to be renewed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof ServerUnavailable ||
  error instanceof TooManyRequests ||
  error instanceof Unauthorized;
