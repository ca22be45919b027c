/** The HTTP face of the local control plane: paths, bodies, media types, one bearer token. */

import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { discovery, openapiDocument, openapiIndex, version } from './discovery.ts';
import { type ListQuery, listPage } from './lists.ts';
import type { Obj } from './metadata.ts';
import type { DeleteOptions, Registry, WriteOptions } from './registry.ts';
import { apiVersion, POD, type ResourceType } from './resources.ts';
import { isObject } from './schema.ts';
import { selectorOf } from './selectors.ts';
import { ApiError, badRequest, methodNotAllowed, noSuchResource, unsupportedPatch } from './status.ts';
import { tableOf } from './table.ts';
import { Watches, watchQuery } from './watch.ts';

/** Writes a pod's log into the response. */
export type LogSource = (pod: Obj, params: URLSearchParams, response: ServerResponse) => void;

export interface ServerOptions {
  registry: Registry;
  token: string;
  port: number;
  logs: LogSource;
}

/** The one user. */
export const USER = 'seqpanel';
/** kube-apiserver's limit of a request body. */
const BODY_MAX_BYTES = 3 * 1024 * 1024;
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

interface Call {
  method: string;
  params: URLSearchParams;
  request: IncomingMessage;
  response: ServerResponse;
  type: ResourceType;
  ns: string;
  name: string;
  sub: string;
}

/** Listens on 127.0.0.1; resolves once connections are accepted. */
export async function startServer(options: ServerOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { registry, token } = options;
  const watches = new Watches(registry.store);
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
    const target = resolve(byPath, path);
    if (!target) {
      if (/^\/apis?\//.test(path)) throw noSuchResource();
      return text(response, 404, '404 page not found\n');
    }
    await serve(registry, watches, options.logs, {
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

function resolve(
  byPath: Map<string, ResourceType>,
  path: string,
): Pick<Call, 'type' | 'ns' | 'name' | 'sub'> | undefined {
  const m =
    /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))(?:\/namespaces\/([^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(
      path,
    );
  if (!m) return undefined;
  const [ns = '', plural = '', name = '', sub = ''] = m.slice(3).map((part) => part && decodeURIComponent(part));
  const root = m[1] ?? m[2];
  if (ns && (!plural || plural === 'status' || plural === 'finalize')) {
    const type = byPath.get(`${root}/namespaces`);
    return type && { type, ns: '', name: ns, sub: plural };
  }
  const type = byPath.get(`${root}/${plural}`);
  return type && type.namespaced >= Boolean(ns) ? { type, ns, name, sub } : undefined;
}

async function serve(registry: Registry, watches: Watches, logs: LogSource, call: Call): Promise<void> {
  const { method, type, ns, name, sub, params, response } = call;
  if (params.get('dryRun')) throw badRequest('dryRun is not supported by the local control plane');
  const known = sub === '' || (sub === 'status' && type.status) || (sub === 'log' && type === POD);
  if (!known || (name && type.namespaced && !ns)) throw noSuchResource();
  if (method === 'GET') {
    if (sub === 'log') return logs(registry.get(type, ns, name), params, response);
    if (name && params.get('watch') !== 'true') {
      const object = registry.get(type, ns, name);
      return asTable(call)
        ? send(response, 200, tableOf(type, [object], {}, registry.now(), params.get('includeObject')))
        : json(response, 200, object);
    }
    return params.get('watch') === 'true' || params.get('watch') === '1'
      ? watch(registry, watches, call)
      : list(registry, call);
  }
  if (sub === 'log' || (type.namespaced && !ns)) throw methodNotAllowed();
  const warnings: string[] = [];
  const options: WriteOptions = { strict: params.get('fieldValidation') === 'Strict', warnings };
  const answer = (code: number, body: unknown) => {
    if (warnings.length > 0)
      response.setHeader(
        'warning',
        warnings.slice(0, 20).map((one) => `299 - ${JSON.stringify(one)}`),
      );
    json(response, code, body);
  };
  if (method === 'POST' && !name) return answer(201, registry.create(type, ns, (await bodyOf(call)) as Obj, options));
  if (method === 'PUT' && name)
    return answer(200, registry.update(type, ns, name, (await bodyOf(call)) as Obj, sub, options));
  if (method === 'PATCH' && name) {
    const patch = await patchOf(call);
    return answer(200, registry.patch(type, ns, name, patch, sub, options));
  }
  if (method === 'DELETE' && !name) {
    const { rows, metadata } = listPage(registry.store, type, queryOf(call));
    const chosen = await deleteOptions(call);
    const items = registry.store.transaction(() =>
      rows.map((row) => registry.delete(type, row.ns, row.name, chosen).object),
    );
    return json(response, 200, { kind: `${type.kind}List`, apiVersion: apiVersion(type), metadata, items });
  }
  if (method === 'DELETE' && name && !sub) {
    const { object, gone } = registry.delete(type, ns, name, await deleteOptions(call));
    if (!gone || type === POD) return json(response, 200, object);
    const details = { name, ...(type.group && { group: type.group }), kind: type.plural, uid: object.metadata.uid };
    return json(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }
  throw methodNotAllowed();
}

const asTable = ({ request }: Call): boolean => {
  const first = (request.headers.accept ?? '').split(',').find((one) => one.includes('json'));
  return /as=Table/.test(first ?? '') && /g=meta\.k8s\.io/.test(first ?? '');
};

function queryOf({ type, ns, name, params }: Call): ListQuery {
  const fields = [params.get('fieldSelector'), name && `metadata.name=${name}`].filter(Boolean).join(',');
  const query: ListQuery = { ns, selector: selectorOf(type, params.get('labelSelector'), fields) };
  const limit = Number(params.get('limit'));
  if (limit > 0) query.limit = limit;
  for (const key of ['continue', 'resourceVersion', 'resourceVersionMatch'] as const) {
    const value = params.get(key);
    if (value) query[key] = value;
  }
  return query;
}

function list(registry: Registry, call: Call): void {
  const { type, params, response } = call;
  const { rows, metadata } = listPage(registry.store, type, queryOf(call));
  if (asTable(call)) {
    const objects = rows.map(({ object }) => JSON.parse(object) as Obj);
    send(response, 200, tableOf(type, objects, metadata, registry.now(), params.get('includeObject')));
    return;
  }
  const head = JSON.stringify({ kind: `${type.kind}List`, apiVersion: apiVersion(type), metadata });
  send(response, 200, `${head.slice(0, -1)},"items":[${rows.map(({ object }) => object).join(',')}]}`);
}

function watch(registry: Registry, watches: Watches, call: Call): void {
  const { type, ns, params, response } = call;
  const query = watchQuery(params, ns, queryOf(call).selector);
  if (asTable(call)) {
    let first = true;
    query.render = (object) => {
      const table = tableOf(type, [JSON.parse(object) as Obj], {}, registry.now(), params.get('includeObject'), first);
      first = false;
      return table;
    };
  }
  watches.start(type, query, response);
}

async function bodyOf({ request }: Call): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_MAX_BYTES) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_MAX_BYTES}`);
    }
    parts.push(part);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(parts).toString()) as unknown;
  } catch (error) {
    throw badRequest(`the body is not JSON: ${(error as Error).message}`);
  }
}

/**
 * The patch, as a merge patch. A strategic one of a built-in kind (`kubectl apply`, `kubectl patch`) means the same as
 * long as it holds no list and no directive; anything else is 415.
 */
async function patchOf(call: Call): Promise<unknown> {
  const media = (call.request.headers['content-type'] ?? '').split(';')[0]!.trim();
  const accepted = [MERGE_PATCH];
  if (media !== MERGE_PATCH && (media !== STRATEGIC_PATCH || call.type.schema)) throw unsupportedPatch(accepted);
  const patch = await bodyOf(call);
  if (!isObject(patch)) throw badRequest('the patch is not a JSON object');
  if (media === STRATEGIC_PATCH && !isMergeable(patch)) throw unsupportedPatch(accepted);
  return patch;
}

/** No list and no directive in it. */
const isMergeable = (value: unknown): boolean =>
  isObject(value)
    ? Object.entries(value).every(([key, child]) => !key.startsWith('$') && isMergeable(child))
    : !Array.isArray(value);

async function deleteOptions(call: Call): Promise<DeleteOptions> {
  const body = (await bodyOf(call)) ?? {};
  const options = (isObject(body) ? { ...body } : {}) as DeleteOptions;
  const { params } = call;
  const policy = params.get('propagationPolicy');
  if (policy) options.propagationPolicy = policy as NonNullable<DeleteOptions['propagationPolicy']>;
  const grace = params.get('gracePeriodSeconds');
  if (grace !== null) options.gracePeriodSeconds = Number(grace);
  if (options.propagationPolicy && !['Background', 'Foreground', 'Orphan'].includes(options.propagationPolicy)) {
    throw badRequest(`invalid propagationPolicy "${options.propagationPolicy}"`);
  }
  return options;
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const refusal =
    error instanceof ApiError
      ? error
      : new ApiError(500, 'InternalError', `Internal error occurred: ${(error as Error).message}`);
  if (!(error instanceof ApiError)) console.error(error);
  if (refusal.code === 413) response.setHeader('connection', 'close');
  json(response, refusal.code, refusal.body);
}

function send(response: ServerResponse, code: number, body: string, type = 'application/json'): void {
  response.writeHead(code, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
const json = (response: ServerResponse, code: number, body: unknown) => send(response, code, JSON.stringify(body));
const text = (response: ServerResponse, code: number, body: string) => send(response, code, body, 'text/plain');
