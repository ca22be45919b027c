/**
 * How much of a request's body is read, and for how long. Nothing is read before authorization, and only what the
 * document declares; the bytes of uploads have limits of their own (uploads/receive-bytes.ts).
 */
import express, { type RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import { type Operation, takesForm, takesJson } from '../openapi/document.ts';
import { stateOf } from './dispatch.ts';
import { sendError } from './error-answer.ts';

/** Names, passwords and tokens are short; larger bodies without a token serve nobody. */
const OPEN_JSON_BYTES = 64 * 1024;
const JSON_BYTES = 1024 * 1024;

export interface BodyTimes {
  bodyMs: number;
  /** For forms, which are up to 128 MiB. */
  formMs: number;
  /** After the answer: what is left of a body is read and dropped for so long, because a client that sends may not read. */
  restMs: number;
}

export const BODY_TIMES: BodyTimes = { bodyMs: 120_000, formMs: 600_000, restMs: 30_000 };

/** Largest JSON body of an operation, bytes: `x-max-body` of the document, else by its role. */
export function jsonLimit(operation: Operation): number {
  const open = operation['x-role'] === 'public' || operation['x-role'] === 'file-token';
  return operation['x-max-body'] ?? (open ? OPEN_JSON_BYTES : JSON_BYTES);
}

/** Reads JSON bodies of operations that declare one. Compressed ones are refused: a few kB would unpack to gigabytes. */
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

/** Answers 408 when the body of an operation has not come in time, and closes the connection. */
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

/** Bounds the time for which the rest of a body is read after the answer: it would keep the connection for ever. */
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
