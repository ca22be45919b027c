/** Takes a request to its handler: match, authenticate, authorize, read and validate the body, call. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError, NotFound, Unauthorized } from '../errors.ts';
import type { Call, Feature, OperationId, Route, UploadedFile } from '../feature.ts';
import { type OpenApiDocument, type Operation, operationsOf, type Role, takesForm } from '../openapi/document.ts';
import type { Match, Matcher } from '../openapi/match.ts';
import { bindLog } from './bind-log.ts';
import { type Authenticate, authorize, type Caller, type Membership } from './caller.ts';
import { checkCallerLimits } from './caller-limits.ts';
import type { FormSpace } from './form-space.ts';
import { isMultipart, type MultipartBody, readMultipart } from './multipart.ts';

/** Values that the steps below store on the request. */
export interface RequestState {
  match: Match;
  caller: Caller | undefined;
  group: Membership | undefined;
  multipart?: MultipartBody;
}

const states = new WeakMap<Request, RequestState>();
export const stateOf = (req: Request): RequestState | undefined => states.get(req);

export type RouteTable = ReadonlyMap<string, Route<OperationId>>;

/**
 * Collects the features' routes and compares them with the document. Throws, so that the process does not start, when
 * an operation has no handler or two, a handler has no operation, or the roles are missing or differ.
 */
export function collectRoutes(document: OpenApiDocument, features: readonly Feature[]): RouteTable {
  const table = new Map<string, Route<OperationId>>();
  for (const feature of features) {
    for (const [id, route] of Object.entries(feature.routes ?? {})) {
      if (table.has(id)) throw new Error(`${feature.name}: operation ${id} already has a handler`);
      table.set(id, route as unknown as Route<OperationId>);
    }
  }
  const roles = new Map<string, Role>();
  for (const { operation } of operationsOf(document)) roles.set(operation.operationId, operation['x-role']);
  for (const [id, role] of roles) {
    const route = table.get(id);
    if (!route) throw new Error(`operation ${id} has no handler`);
    if (!route.role) throw new Error(`operation ${id}: its handler declares no role`);
    if (route.role !== role) throw new Error(`operation ${id}: its handler says ${route.role}, the document ${role}`);
  }
  for (const id of table.keys()) if (!roles.has(id)) throw new Error(`handler ${id} has no operation in the document`);
  return table;
}

/** Finds the operation and rejects callers without the right to it. Other paths continue to the console's files. */
export function admit(
  matcher: Matcher,
  authenticate: Authenticate,
  admitted: (caller: Caller, res: Response) => void = () => {},
): RequestHandler {
  const run = async (req: Request, res: Response): Promise<void> => {
    const match = matcher(req.method, req.path);
    if (!match) {
      if (/^\/(api|auth|ws)(\/|$)/.test(req.path)) throw new NotFound();
      return;
    }
    if ('allow' in match) {
      res.setHeader('Allow', match.allow.join(', '));
      throw new AppError(405, 'method_not_allowed');
    }
    const role = match.operation['x-role'];
    const token = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
    const caller = token && role !== 'public' ? await authenticate(token) : undefined;
    if (role !== 'public' && role !== 'file-token' && !caller) throw new Unauthorized();
    bindLog(req, res, { operation: match.operation.operationId, user: caller?.username });
    if (caller) checkCallerLimits(caller, match.operation.operationId as OperationId, role);
    const group = authorize(role, caller, match.params['group']);
    states.set(req, { match, caller, group });
    if (caller) admitted(caller, res);
  };
  return (req, res, next) => {
    run(req, res).then(() => next(), next);
  };
}

/**
 * Reads multipart bodies of admitted callers, for operations that declare a form. Other bodies stay unread. The files
 * are removed after the answer.
 */
export function readForms(space: FormSpace): RequestHandler {
  return (req, res, next) => {
    const state = stateOf(req);
    if (!state || !takesForm(state.match.operation) || !isMultipart(req)) return next();
    const serve = async (): Promise<void> => {
      const form = await readMultipart(req, space);
      await space.enter();
      const end = (): void => {
        space.leave();
        form.discard().catch((err) => req.log.error({ err }, 'form not removed from the temporary folder'));
      };
      if (res.closed) return end();
      res.once('close', end);
      state.multipart = form;
      const body: Record<string, unknown> = { ...form.fields };
      for (const { part } of form.files) body[part] = part.endsWith('_files') ? [] : '';
      req.body = body;
      next();
    };
    serve().catch(next);
  };
}

/** Calls the handler and sends its result with the only success status of the document. */
export function dispatch(table: RouteTable): RequestHandler {
  const run = async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const state = stateOf(req);
    if (!state) return next();
    const { operation } = state.match;
    const answer = await table.get(operation.operationId)!.handle(callOf(req, res, state) as Call);
    if (res.headersSent || res.writableEnded) return;
    const status = successOf(operation);
    if (answer === undefined) res.status(status).end();
    else res.status(status).json(answer);
  };
  return (req, res, next) => {
    run(req, res, next).catch(next);
  };
}

function callOf(req: Request, res: Response, state: RequestState) {
  return {
    req,
    res,
    params: state.match.params,
    query: req.query,
    body: req.body,
    files: (state.multipart?.files ?? []) as readonly UploadedFile[],
    log: req.log,
    get caller(): Caller {
      if (!state.caller) throw new Unauthorized();
      return state.caller;
    },
    get group(): Membership {
      if (!state.group) throw new Error(`${state.match.path} names no group`);
      return state.group;
    },
  };
}

function successOf(operation: Operation): number {
  return Number(Object.keys(operation.responses).find((status) => /^2\d\d$/.test(status)) ?? 200);
}
