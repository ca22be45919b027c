/** The verbs on a resource: get, list, watch, log, create, update, patch, delete. */

import type { ServerResponse } from 'node:http';
import type { Obj } from '../objects/metadata.ts';
import type { Registry, WriteOptions } from '../objects/registry.ts';
import { apiVersion, POD } from '../objects/resources.ts';
import { badRequest, methodNotAllowed, noSuchResource } from '../objects/status.ts';
import { listPage } from './lists.ts';
import { bodyOf, type Call, deleteOptions, patchOf, queryOf, wantsTable } from './request.ts';
import { json, send } from './respond.ts';
import { tableOf } from './table.ts';
import { type Watches, watchQuery } from './watch.ts';

/** Streams a pod's log into the response. */
export type LogSource = (pod: Obj, params: URLSearchParams, response: ServerResponse) => void;

/** The components that serve requests. */
export interface Parts {
  registry: Registry;
  watches: Watches;
  logs: LogSource;
}

/** Serves the request; throws an ApiError when it is rejected. */
export async function serve(parts: Parts, call: Call): Promise<void> {
  const { method, type, ns, name, sub, params } = call;
  if (params.get('dryRun')) throw badRequest('dryRun is not supported by the local control plane');
  const known = sub === '' || (sub === 'status' && type.status) || (sub === 'log' && type === POD);
  if (!known || (name && type.namespaced && !ns)) throw noSuchResource();
  if (method === 'GET') return read(parts, call);
  if (sub === 'log' || (type.namespaced && !ns)) throw methodNotAllowed();
  return write(parts.registry, call);
}

function read({ registry, watches, logs }: Parts, call: Call): void {
  const { type, ns, name, sub, params, response } = call;
  const watched = params.get('watch') === 'true' || params.get('watch') === '1';
  if (sub === 'log') logs(registry.get(type, ns, name), params, response);
  else if (watched) watch(registry, watches, call);
  else if (!name) list(registry, call);
  else {
    const object = registry.get(type, ns, name);
    if (!wantsTable(call)) json(response, 200, object);
    else send(response, 200, tableOf(type, [object], {}, registry.now(), params.get('includeObject')));
  }
}

async function write(registry: Registry, call: Call): Promise<void> {
  const { method, type, ns, name, sub, params, response } = call;
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
  if (method === 'DELETE' && name && !sub) {
    const { object, gone } = registry.delete(type, ns, name, await deleteOptions(call));
    if (!gone || type === POD) return json(response, 200, object);
    const details = { name, ...(type.group && { group: type.group }), kind: type.plural, uid: object.metadata.uid };
    return json(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }
  throw methodNotAllowed();
}

function list(registry: Registry, call: Call): void {
  const { type, params, response } = call;
  if (params.get('resourceVersionMatch') === 'Exact') {
    throw badRequest('resourceVersionMatch=Exact is not supported by the local control plane');
  }
  const { rows, metadata } = listPage(registry.store, type, queryOf(call));
  if (wantsTable(call)) {
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
  if (wantsTable(call)) {
    let first = true;
    query.render = (object) => {
      const table = tableOf(type, [JSON.parse(object) as Obj], {}, registry.now(), params.get('includeObject'), first);
      first = false;
      return table;
    };
  }
  watches.start(type, query, response);
}
