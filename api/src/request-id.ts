/** The request that the running code serves, for log lines of code that has no request at hand. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';

const current = new AsyncLocalStorage<string>();

/** Undefined outside of requests. */
export const currentRequestId = (): string | undefined => current.getStore();

/** Runs the following handlers, and all that they start, as those of this request. */
export const followRequest: RequestHandler = (req, _res, next) => current.run(String(req.id), next);
