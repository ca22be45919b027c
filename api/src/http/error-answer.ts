/** Turns errors into answers, the only place that does: { id, code, message, DISPLAY_ERROR_MESSAGE, details }. */
import { formatMessage, type MessageCode } from '@seqpanel/crds/messages.ts';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { AppError, type Problem } from '../errors.ts';

export interface ErrorAnswer {
  id: string;
  code: string;
  message: string;
  DISPLAY_ERROR_MESSAGE: string | null;
  details: Record<string, unknown> | null;
}

/** Converts any error to an AppError. Errors that are neither ours nor the validator's become a 500 without details. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { status, type, errors } = (error ?? {}) as {
    status?: number;
    type?: string;
    errors?: { path: string; message: string; errorCode?: string }[];
  };
  const cause = { cause: error };
  if (status === 413 || type === 'entity.too.large') return new AppError(413, 'request_too_large', undefined, cause);
  if (status === 415) return new AppError(415, 'media_type_unsupported', undefined, cause);
  if (type !== undefined && /^(entity|encoding|request)\./.test(type)) {
    return new AppError(400, 'request_unreadable', undefined, cause);
  }
  if (status === 404) return new AppError(404, 'not_found', undefined, cause);
  if (status === 405) return new AppError(405, 'method_not_allowed', undefined, cause);
  if (status === 400 && errors) {
    const problems: Problem[] = errors.map(({ path, message, errorCode }) => ({
      field: path.replace(/^\/(body|query|params|headers)\/?/, ''),
      code: errorCode?.replace('.openapi.validation', ''),
      message,
    }));
    return new AppError(400, 'request_invalid', { problems }, cause);
  }
  if (isUnstorableText(error)) return new AppError(400, 'request_invalid', undefined, cause);
  // Errors of express: a path or body that cannot be decoded.
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError(400, 'request_unreadable', undefined, cause);
  }
  if (isUnavailable(error)) return new AppError(503, 'unavailable', undefined, cause);
  return new AppError(500, 'internal_error', undefined, cause);
}

/** Returns the body of the answer. Only an unexpected failure has no text for users. */
export function errorBody(error: AppError, id: string): ErrorAnswer {
  return {
    id,
    code: error.code,
    message: error.message,
    DISPLAY_ERROR_MESSAGE: error.code === 'internal_error' ? null : error.message,
    details: error.details,
  };
}

/** Id of a request, as in its log lines, its X-Request-Id header and its error. */
export const requestId = (req: Request): string => String(req.id);

export const answerErrors: ErrorRequestHandler = (error, req, res, next) => {
  const failure = toAppError(error);
  if (failure.status >= 500) req.log.error({ err: failure.cause ?? failure }, 'request failed');
  else req.log.info({ code: failure.code }, 'request refused');
  if (res.headersSent) {
    next(error); // express closes the connection, so that a partial answer is not taken for a complete one
    return;
  }
  sendError(failure, req, res);
};

export function sendError(failure: AppError, req: Request, res: Response): void {
  if (failure.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  if (failure.status === 503) res.setHeader('Retry-After', '2');
  if (failure.status === 429) res.setHeader('Retry-After', String(failure.details?.['seconds'] ?? 2));
  // Avoids res.json, because in tests the validator wraps it and would check this body against the success schema.
  res
    .status(failure.status)
    .type('application/json')
    .send(JSON.stringify(errorBody(failure, requestId(req))));
}

/**
 * Reports text that Postgres cannot store: NUL (22021), or its escape or a lone surrogate in JSON (22P05, 22P02).
 * Bodies were checked before (refuse-bad-text.ts), but the contents of uploaded files were not.
 */
function isUnstorableText(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return code === '22021' || code === '22P05' || (code === '22P02' && /input syntax for type json/.test(message ?? ''));
}

/**
 * SQLSTATE codes of temporary failures (PostgreSQL manual, appendix A): too many connections, read-only after a
 * failover, deadlock, serialization, lock not available, statement timeout, shutdown, connection.
 */
const PASSING_SQLSTATE = /^(53300|53400|25006|40P01|40001|55P03|57014|57P0\d|08\d\d\d)$/;
const PASSING_ERRNO = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/** Reports a temporary failure of Postgres, the network or DNS. The caller may retry. */
function isUnavailable(error: unknown): boolean {
  const { code = '', name } = (error ?? {}) as { code?: string; name?: string };
  return (
    name === 'KnexTimeoutError' ||
    PASSING_SQLSTATE.test(code) ||
    PASSING_ERRNO.test(code) ||
    (error instanceof Error && /Connection terminated|Client has encountered a connection error/.test(error.message))
  );
}

/** Message text for tests and for error answers outside express (tus, upgrades). */
export function errorText(code: MessageCode, values?: Record<string, unknown>): string {
  return formatMessage(code, values);
}
