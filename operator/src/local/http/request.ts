/** Parses requests: the resource of the path, the query, and bodies as JSON, merge patch or DeleteOptions. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeleteOptions } from '../objects/deletion.ts';
import type { ResourceType } from '../objects/resources.ts';
import { isObject } from '../objects/schema.ts';
import { ApiError, badRequest, unsupportedPatch } from '../objects/status.ts';
import type { ListQuery } from './lists.ts';
import { selectorOf } from './selectors.ts';

/** Limit of kube-apiserver. */
const BODY_MAX_BYTES = 3 * 1024 * 1024;
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export interface Call {
  method: string;
  params: URLSearchParams;
  request: IncomingMessage;
  response: ServerResponse;
  type: ResourceType;
  ns: string;
  name: string;
  sub: string;
}

/** Returns the resource of a path; `byPath` is keyed by `group/version/plural`. */
export function targetOf(
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
  if (ns && (!plural || plural === 'status')) {
    const type = byPath.get(`${root}/namespaces`);
    return type && { type, ns: '', name: ns, sub: plural };
  }
  const type = byPath.get(`${root}/${plural}`);
  return type && type.namespaced >= Boolean(ns) ? { type, ns, name, sub } : undefined;
}

/** Reports whether the client requests a Table, as kubectl does. */
export const wantsTable = ({ request }: Call): boolean => {
  const first = (request.headers.accept ?? '').split(',').find((one) => one.includes('json'));
  return /as=Table/.test(first ?? '') && /g=meta\.k8s\.io/.test(first ?? '');
};

export function queryOf({ type, ns, name, params }: Call): ListQuery {
  const fields = [params.get('fieldSelector'), name && `metadata.name=${name}`].filter(Boolean).join(',');
  const query: ListQuery = { ns, selector: selectorOf(type, params.get('labelSelector'), fields) };
  const limit = Number(params.get('limit'));
  if (limit > 0) query.limit = limit;
  const token = params.get('continue');
  if (token) query.continue = token;
  return query;
}

/** Parses the JSON body; undefined without one. Throws 400 and 413. */
export async function bodyOf({ request }: Call): Promise<unknown> {
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
 * Returns the body as a merge patch. A strategic merge patch (`kubectl apply`, `kubectl patch` of built-in kinds) is
 * equivalent while it contains no list and no directive; otherwise throws 415.
 */
export async function patchOf(call: Call): Promise<unknown> {
  const media = (call.request.headers['content-type'] ?? '').split(';')[0]!.trim();
  const accepted = [MERGE_PATCH];
  if (media !== MERGE_PATCH && (media !== STRATEGIC_PATCH || call.type.schema)) throw unsupportedPatch(accepted);
  const patch = await bodyOf(call);
  if (!isObject(patch)) throw badRequest('the patch is not a JSON object');
  if (media === STRATEGIC_PATCH && !isMergeable(patch)) throw unsupportedPatch(accepted);
  return patch;
}

/** Reports whether it contains no list and no directive. */
const isMergeable = (value: unknown): boolean =>
  isObject(value)
    ? Object.entries(value).every(([key, child]) => !key.startsWith('$') && isMergeable(child))
    : !Array.isArray(value);

/** Reads DeleteOptions from the body; the query overrides them. */
export async function deleteOptions(call: Call): Promise<DeleteOptions> {
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
