/** The one place where an error becomes an answer: { id, code, message, DISPLAY_ERROR_MESSAGE, details } (DESIGN 8). */
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

/** What a failure is to its caller. Anything that is not ours or the validator's is a 500 without details. */
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
  // Of the parts of express: a path or a body that cannot be decoded.
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError(400, 'request_unreadable', undefined, cause);
  }
  if (isUnavailable(error)) return new AppError(503, 'unavailable', undefined, cause);
  return new AppError(500, 'internal_error', undefined, cause);
}

/** The body of the answer. The text for users is left out of failures that are not about what they did. */
export function errorBody(error: AppError, id: string): ErrorAnswer {
  return {
    id,
    code: error.code,
    message: error.message,
    DISPLAY_ERROR_MESSAGE: error.status >= 500 && error.status !== 503 ? null : error.message,
    details: error.details,
  };
}

/** The id of a request: in its log lines, its answer's X-Request-Id and its error. */
export const requestId = (req: Request): string => String(req.id);

export const answerErrors: ErrorRequestHandler = (error, req, res, next) => {
  const failure = toAppError(error);
  if (failure.status >= 500) req.log.error({ err: failure.cause ?? failure }, 'A request failed');
  else req.log.info({ code: failure.code }, 'request refused');
  if (res.headersSent) {
    next(error); // express ends the connection, so that nobody takes half an answer for a whole one
    return;
  }
  sendError(failure, req, res);
};

export function sendError(failure: AppError, req: Request, res: Response): void {
  if (failure.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  if (failure.status === 503) res.setHeader('Retry-After', '2');
  if (failure.status === 429) res.setHeader('Retry-After', String(failure.details?.['seconds'] ?? 2));
  // Not res.json: in tests the validator has wrapped that, and would check this body against the success.
  res
    .status(failure.status)
    .type('application/json')
    .send(JSON.stringify(errorBody(failure, requestId(req))));
}

/**
 * Postgres cannot store NUL (22021), nor escapes of it and halves of surrogate pairs in JSON (22P05, 22P02 for the
 * latter). Bodies were looked through before (refuse-bad-text.ts), contents of uploaded files are not.
 */
function isUnstorableText(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return code === '22021' || code === '22P05' || (code === '22P02' && /input syntax for type json/.test(message ?? ''));
}

/**
 * SQLSTATE of failures that pass (PostgreSQL manual, appendix A): too many connections, read-only after a failover,
 * deadlock, serialization, lock not available, statement cancelled by its timeout, shutdown, connection.
 */
const PASSING_SQLSTATE = /^(53300|53400|25006|40P01|40001|55P03|57014|57P0\d|08\d\d\d)$/;
const PASSING_ERRNO = /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/** Postgres, the network or its names are away or busy: the caller may try again. */
function isUnavailable(error: unknown): boolean {
  const { code = '', name } = (error ?? {}) as { code?: string; name?: string };
  return (
    name === 'KnexTimeoutError' ||
    PASSING_SQLSTATE.test(code) ||
    PASSING_ERRNO.test(code) ||
    (error instanceof Error && /Connection terminated|Client has encountered a connection error/.test(error.message))
  );
}

/** For tests and other writers of error answers outside express (tus, upgrades). */
export function errorText(code: MessageCode, values?: Record<string, unknown>): string {
  return formatMessage(code, values);
}
