/**
 * Spares the validator its search for a request's route. express-openapi-validator 5 compiles a pattern for every path
 * of the document on every request, a fifth of the time of a call. Our matcher has already found the operation, so the
 * validator's result for one request of an operation is reused for the next.
 */
import type { Request, RequestHandler } from 'express';
import { stateOf } from './dispatch.ts';

/** The data that the validator attaches to a request. */
interface Found {
  openApiRoute: string;
  pathParams: Record<string, string>;
}
type Validated = Request & { openapi?: Found };

/** Returns the validator's middlewares, with the search run once per operation. Throws when they lack the search. */
export function rememberRoutes(middlewares: readonly RequestHandler[]): RequestHandler[] {
  const known = new Map<string, Found>();
  const at = middlewares.findIndex(({ name }) => name === 'metadataMiddleware');
  const search = middlewares[at];
  if (!search) throw new Error('express-openapi-validator has no metadataMiddleware any more: see remember-routes.ts');
  const remembering: RequestHandler = (req: Validated, res, next) => {
    const match = stateOf(req)?.match;
    const id = match?.operation.operationId;
    // The validator reads the path from the whole URL, where `#` is part of the path.
    const isPlain = req.originalUrl.split('?')[0] === req.path;
    const found = id === undefined || !isPlain ? undefined : known.get(id);
    if (match && found) {
      req.openapi = { ...found, pathParams: { ...match.params } };
      req.params = { ...match.params };
      return next();
    }
    return search(req, res, (error?: unknown) => {
      if (!error && id !== undefined && req.openapi?.openApiRoute === match?.path) known.set(id, req.openapi!);
      next(error);
    });
  };
  return middlewares.map((middleware, i) => (i === at ? remembering : middleware));
}
