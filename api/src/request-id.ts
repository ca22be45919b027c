/** Provides the id of the current request to log lines of code that has no request object. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';

const current = new AsyncLocalStorage<string>();

/** Returns undefined outside of a request. */
export const currentRequestId = (): string | undefined => current.getStore();

/** Runs the following handlers, and everything they start, in the context of this request. */
export const followRequest: RequestHandler = (req, _res, next) => current.run(String(req.id), next);
