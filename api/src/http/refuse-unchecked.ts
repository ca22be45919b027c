/** Runs between validator and handlers and rejects requests that were not validated for their operation. */
import type { RequestHandler } from 'express';
import { NotFound } from '../errors.ts';
import { stateOf } from './dispatch.ts';

/** The validator finds the operation itself. If it found none or another one, this request is unchecked. */
export const refuseUnchecked: RequestHandler = (req, _res, next) => {
  const match = stateOf(req)?.match;
  const checked = (req as { openapi?: { openApiRoute?: string } }).openapi?.openApiRoute;
  next(match && match.path !== checked ? new NotFound() : undefined);
};
