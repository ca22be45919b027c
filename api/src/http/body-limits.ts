/**
 * Limits the size and duration of request bodies. Bodies are read only after authorization and only if the document
 * declares one. Uploads have their own limits (uploads/receive-bytes.ts).
 */
import express, { type RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import { type Operation, takesForm, takesJson } from '../openapi/document.ts';
import { stateOf } from './dispatch.ts';
import { sendError } from './error-answer.ts';

/** Enough for names, passwords and tokens, which are all that calls without a token send. */
const OPEN_JSON_BYTES = 64 * 1024;
const JSON_BYTES = 1024 * 1024;

export interface BodyTimes {
  bodyMs: number;
  /** Longer for forms, which may have up to 128 MiB. */
  formMs: number;
  /**
   * Time for which the unread rest of a body is read and dropped after the answer, because a sending client may not
   * read.
   */
  restMs: number;
}

export const BODY_TIMES: BodyTimes = { bodyMs: 120_000, formMs: 600_000, restMs: 30_000 };

/** Returns the largest JSON body of an operation in bytes: `x-max-body` of the document, else a limit by its role. */
export function jsonLimit(operation: Operation): number {
  const open = operation['x-role'] === 'public' || operation['x-role'] === 'file-token';
  return operation['x-max-body'] ?? (open ? OPEN_JSON_BYTES : JSON_BYTES);
}

/**
 * Reads JSON bodies of operations that declare one. Rejects compressed bodies, because a few kB could unpack to
 * gigabytes.
 */
export function readJson(): RequestHandler {
  const readers = new Map<number, RequestHandler>();
  return (req, res, next) => {
    const operation = stateOf(req)?.match.operation;
    if (!operation || !takesJson(operation)) return next();
    const limit = jsonLimit(operation);
    const reader = readers.get(limit) ?? express.json({ limit, inflate: false });
    readers.set(limit, reader);
    reader(req, res, next);
  };
}

/** Answers 408 and closes the connection when a body does not arrive in time. */
export function timeBodies({ bodyMs, formMs }: BodyTimes = BODY_TIMES): RequestHandler {
  return (req, res, next) => {
    const operation = stateOf(req)?.match.operation;
    const hasBody = 'transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0;
    if (!hasBody || operation?.['x-body'] === 'stream') return next();
    const timer = setTimeout(
      () => {
        if (req.complete || res.headersSent) return;
        res.setHeader('Connection', 'close');
        sendError(new AppError(408, 'request_slow'), req, res);
      },
      operation && takesForm(operation) ? formMs : bodyMs,
    );
    for (const ending of ['end', 'close'] as const) req.once(ending, () => clearTimeout(timer));
    next();
  };
}

/** Limits how long the rest of a body is read after the answer, because it could keep the connection open forever. */
export function boundRests({ restMs }: BodyTimes = BODY_TIMES): RequestHandler {
  return (req, res, next) => {
    res.once('finish', () => {
      if (req.complete) return;
      setTimeout(() => {
        if (!req.complete) req.socket.destroy();
      }, restMs).unref();
    });
    next();
  };
}
