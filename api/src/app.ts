/** Builds the Express application: the middleware in order. Features supply the handlers (feature.ts). */
import { randomUUID } from 'node:crypto';
import express, { type Express, type Request, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { pinoHttp } from 'pino-http';
import { Histogram } from 'prom-client';
import { NotFound } from './errors.ts';
import type { Deps, Feature } from './feature.ts';
import { type BodyTimes, boundRests, readJson, timeBodies } from './http/body-limits.ts';
import { clientAddress } from './http/client-address.ts';
import { admit, collectRoutes, dispatch, readForms, stateOf } from './http/dispatch.ts';
import { answerErrors } from './http/error-answer.ts';
import { FormSpace } from './http/form-space.ts';
import { securityHeaders } from './http/headers.ts';
import { refuseBadText } from './http/refuse-bad-text.ts';
import { refuseUnchecked } from './http/refuse-unchecked.ts';
import { rememberRoutes } from './http/remember-routes.ts';
import { createStaticFiles } from './http/static-files.ts';
import { buildDocument, type OpenApiDocument } from './openapi/document.ts';
import { createMatcher } from './openapi/match.ts';
import { followRequest } from './request-id.ts';

export interface AppOptions {
  document?: OpenApiDocument;
  /** In tests: turns an answer that breaks the document into a 500. */
  validateResponses?: boolean;
  /** In tests: shorter times. */
  bodyTimes?: BodyTimes;
}

/** Throws when features and document disagree (collectRoutes of http/dispatch.ts). */
export function createApp(deps: Deps, features: readonly Feature[], options: AppOptions = {}): Express {
  const document = options.document ?? buildDocument();
  const table = collectRoutes(document, features);
  const matcher = createMatcher(document);

  const app = express();
  app.disable('x-powered-by');
  // Clients never store API answers, so an ETag would be a wasted hash.
  app.disable('etag');
  app.set('trust proxy', deps.config.trustProxy);
  app.set('query parser', 'simple');
  app.use(requestLog(deps));
  app.use(followRequest);
  app.use(boundRests(options.bodyTimes));
  app.use(securityHeaders());
  app.use(measure(deps));
  app.use(
    admit(matcher, deps.authenticate, (caller, res) => {
      for (const feature of features) feature.admitted?.(caller, res);
    }),
  );
  app.use(timeBodies(options.bodyTimes));
  app.use(readJson());
  app.use(readForms(new FormSpace()));
  app.use(refuseBadText);
  app.use(
    rememberRoutes(
      OpenApiValidator.middleware({
        apiSpec: structuredClone(document) as never,
        validateApiSpec: false,
        validateRequests: { allowUnknownQueryParameters: false },
        validateResponses: options.validateResponses
          ? {
              onError: (error, body, req) => {
                req.log.error({ err: error, body }, 'answer breaks the document');
                throw error;
              },
            }
          : false,
        validateSecurity: false,
        fileUploader: false,
        ignorePaths: (path: string) => matcher('get', path) === undefined, // the path has no operation
      }) as unknown as RequestHandler[],
    ),
  );
  app.use(refuseUnchecked);
  app.use(dispatch(table));
  if (deps.config.consoleDir) app.use(createStaticFiles(deps.config.consoleDir));
  app.use((_req, _res, next) => next(new NotFound()));
  app.use(answerErrors);
  return app;
}

function requestLog(deps: Deps): RequestHandler {
  return pinoHttp({
    logger: deps.log,
    genReqId: (_req, res) => {
      const id = randomUUID();
      res.setHeader('X-Request-Id', id);
      return id;
    },
    quietReqLogger: true,
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
    autoLogging: { ignore: (req) => /^\/(healthz|readyz|metrics|assets\/)/.test(req.url ?? '') },
    serializers: {
      // Keeps headers (tokens) and the query (file tokens) out of the log.
      req: ({ method, url, raw }: { method: string; url: string; raw: Request }) => ({
        method,
        path: url.split('?')[0],
        address: clientAddress(raw),
      }),
      res: (res: { statusCode: number }) => ({ status: res.statusCode }),
    },
  }) as unknown as RequestHandler;
}

function measure(deps: Deps): RequestHandler {
  const seconds = new Histogram({
    name: 'seqpanel_api_request_seconds',
    help: 'Time to answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [deps.metrics],
  });
  return (req, res, next) => {
    const end = seconds.startTimer();
    res.once('finish', () => {
      const operation = stateOf(req)?.match.operation.operationId ?? 'other';
      end({ operation, status: String(res.statusCode) });
    });
    next();
  };
}
