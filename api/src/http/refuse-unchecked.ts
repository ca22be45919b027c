/** Runs between validator and handlers: what the validator did not check as the operation it is reaches no handler. */
import type { RequestHandler } from 'express';
import { NotFound } from '../errors.ts';
import { stateOf } from './dispatch.ts';

/** The validator finds the operation by itself. Where it finds none, or another one, it has not checked this one. */
export const refuseUnchecked: RequestHandler = (req, _res, next) => {
  const match = stateOf(req)?.match;
  const checked = (req as { openapi?: { openApiRoute?: string } }).openapi?.openApiRoute;
  next(match && match.path !== checked ? new NotFound() : undefined);
};
