/** The HTTP server of the local control plane: one bearer token, discovery, and the resources. */

import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from '../objects/registry.ts';
import { apiVersion } from '../objects/resources.ts';
import { ApiError, noSuchResource } from '../objects/status.ts';
import { discovery, openapiDocument, openapiIndex, version } from './discovery.ts';
import { targetOf } from './request.ts';
import { json, refuse, text } from './respond.ts';
import { type LogSource, serve } from './verbs.ts';
import { Watches } from './watch.ts';

export interface ServerOptions {
  registry: Registry;
  token: string;
  port: number;
  logs: LogSource;
}

/** Name of the only user. */
export const USER = 'seqpanel';
/** Listens on 127.0.0.1; resolves once connections are accepted. */
export async function startServer(options: ServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { registry, token } = options;
  const watches = new Watches(registry.store);
  const parts = { registry, watches, logs: options.logs };
  const types = [...registry.types.values()];
  const byPath = new Map(types.map((type) => [`${apiVersion(type)}/${type.plural}`, type]));
  // kubectl sends no bearer token over plain http, but the user and password of the server's URL.
  const wanted = [`Bearer ${token}`, `Basic ${Buffer.from(`${USER}:${token}`).toString('base64')}`].map((one) =>
    Buffer.from(one),
  );

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.replace(/\/+$/, '') || '/';
    if (/^\/(healthz|readyz|livez)$/.test(path)) return text(response, 200, 'ok');
    const given = Buffer.from(request.headers.authorization ?? '');
    if (!wanted.some((one) => given.length === one.length && timingSafeEqual(given, one)))
      throw new ApiError(401, 'Unauthorized', 'Unauthorized');
    if (path === '/version') return json(response, 200, version());
    if (path === '/openapi/v3') return json(response, 200, openapiIndex(types));
    if (path.startsWith('/openapi/v3/')) {
      const document = openapiDocument(types, path.slice('/openapi/v3'.length));
      if (document) return json(response, 200, document);
    }
    const known = discovery(types, path);
    if (known) return json(response, 200, known);
    const target = targetOf(byPath, path);
    if (!target) {
      if (/^\/apis?\//.test(path)) throw noSuchResource();
      return text(response, 404, '404 page not found\n');
    }
    await serve(parts, {
      ...target,
      method: request.method ?? 'GET',
      params: url.searchParams,
      request,
      response,
    });
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => refuse(response, error));
  });
  server.keepAliveTimeout = 120_000;
  await listen(server, options.port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    stop: () =>
      new Promise((done) => {
        watches.stop();
        server.close(() => done());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 500).unref();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => done());
  });
}
