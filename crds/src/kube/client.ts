/** The calls of the Kubernetes API that SeqPanel makes, typed by resource. Every call takes an AbortSignal. */

import type { KubeAccess } from './access.ts';
import { checkShape } from './check-shape.ts';
import { isNotFound } from './errors.ts';
import {
  type KubeList,
  type KubeObject,
  PODS,
  type Resource,
  type StatusBody,
  type Stored,
  type WatchEvent,
} from './objects.ts';
import { Transport, type TransportOptions } from './transport.ts';
import { watchEvents } from './watch-events.ts';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface CallOptions {
  signal: AbortSignal;
  /** Default: the client's. Ignored for cluster-scoped resources. */
  namespace?: string;
}

export interface Selection {
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  limit?: number;
  continue?: string;
  resourceVersion?: string;
}

export interface ListedPage<T extends KubeObject> extends KubeList<T> {
  /** Size of the answer, from which the caller can choose the size of the next page. */
  bytes?: number;
}

export interface WatchOptions extends CallOptions, Selection {
  resourceVersion: string;
  /** The server ends the watch after this many seconds. */
  timeoutSeconds: number;
}

export interface GetOptions extends CallOptions {
  subresource?: 'scale';
}

export interface PatchOptions extends CallOptions {
  subresource?: 'status' | 'scale';
}

export interface DeleteOptions extends CallOptions {
  /** Named at every delete: the default of batch/v1 Jobs orphans their pods. */
  propagation: Propagation;
  gracePeriodSeconds?: number;
  /** Delete only this very object, not a later one of the same name. */
  uid?: string;
  resourceVersion?: string;
}

export interface KubeClientOptions {
  /** Default: the namespace of the access, else `default`. */
  namespace?: string;
  userAgent?: string;
  /** Called immediately before each attempt of a request; what it throws is thrown by the request. */
  beforeSend?: TransportOptions['beforeSend'];
}

export class KubeClient {
  readonly namespace: string;
  readonly #transport: Transport;
  readonly #basePath: string;

  constructor(access: KubeAccess, options: KubeClientOptions = {}) {
    this.namespace = options.namespace ?? access.namespace ?? 'default';
    this.#basePath = new URL(access.server).pathname.replace(/\/$/, '');
    this.#transport = new Transport(access, {
      userAgent: options.userAgent ?? 'seqpanel',
      beforeSend: options.beforeSend,
    });
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string, options: GetOptions): Promise<Stored<T>> {
    const path = this.#path(resource, options, name, options.subresource);
    return this.#transport.json({ method: 'GET', path, signal: options.signal });
  }

  /** The last lines of a pod's log. Throws NotFound when pod or log are gone, BadRequest before its container started. */
  log(pod: string, options: CallOptions & { tailLines: number }): Promise<string> {
    const path = `${this.#path(PODS, options, pod)}/log${query({ tailLines: options.tailLines })}`;
    return this.#transport.text({ method: 'GET', path, accept: '*/*', signal: options.signal });
  }

  /** Where the server has a kind; undefined when it does not know its group, version or name. */
  async find(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource<KubeObject> | undefined> {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const path = [this.#basePath, group ? 'apis' : 'api', ...apiVersion.split('/').map(encodeURIComponent)].join('/');
    const all = await this.#transport
      .json<{ resources: { name: string; kind: string; namespaced: boolean }[] }>({ method: 'GET', path, signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    // Subresources are listed too, as `name/scale`, with kinds of their own.
    const found = all?.resources.find((each) => each.kind === kind && !each.name.includes('/'));
    if (!found) return undefined;
    return { group: group ?? '', version: version ?? '', plural: found.name, kind, namespaced: found.namespaced };
  }

  /** One page; `metadata.continue` asks for the next. */
  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions): Promise<ListedPage<T>> {
    const path = `${this.#path(resource, options)}${query({
      ...selection(options),
      limit: options.limit,
      continue: options.continue,
      resourceVersion: options.resourceVersion,
    })}`;
    const { value, bytes } = await this.#transport.sized<KubeList<T>>({ method: 'GET', path, signal: options.signal });
    return { ...value, bytes };
  }

  /** Throws AlreadyExists, Invalid; an object of ours that breaks its schema is not sent. */
  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: CallOptions): Promise<Stored<T>> {
    await checkShape(resource, object);
    return this.#transport.json({
      method: 'POST',
      path: this.#path(resource, options),
      body: object,
      signal: options.signal,
    });
  }

  /** Replaces the whole object; throws Conflict when its resourceVersion is not the stored one. Checked as `create` is. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: PatchOptions): Promise<Stored<T>> {
    const path = this.#path(resource, options, object.metadata?.name ?? '', options.subresource);
    if (!options.subresource) await checkShape(resource, object);
    return this.#transport.json({ method: 'PUT', path, body: object, signal: options.signal });
  }

  /** A merge patch (RFC 7386). With `metadata.resourceVersion` in it, throws Conflict if the object has moved on. */
  patch<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    patch: object,
    options: PatchOptions,
  ): Promise<Stored<T>> {
    return this.#transport.json({
      method: 'PATCH',
      path: this.#path(resource, options, name, options.subresource),
      body: patch,
      contentType: 'application/merge-patch+json',
      signal: options.signal,
    });
  }

  /** Answers the object that is now going, or a Status when it is gone. Throws NotFound, Conflict (uid differs). */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    options: DeleteOptions,
  ): Promise<Stored<T> | StatusBody> {
    const { uid, resourceVersion } = options;
    return this.#transport.json({
      method: 'DELETE',
      path: this.#path(resource, options, name),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: options.propagation,
        ...(options.gracePeriodSeconds !== undefined && { gracePeriodSeconds: options.gracePeriodSeconds }),
        ...((uid || resourceVersion) && {
          preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
        }),
      },
      signal: options.signal,
    });
  }

  /**
   * Events from `resourceVersion` on, bookmarks included, until the server ends the watch. Throws KubeError for an
   * ERROR in the stream (Gone: list again), ConnectionError when the stream breaks off.
   */
  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const path = `${this.#path(resource, options)}${query({
      watch: 'true',
      allowWatchBookmarks: 'true',
      ...selection(options),
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.timeoutSeconds,
    })}`;
    const request = { method: 'GET' as const, path, stream: true, signal: options.signal };
    yield* watchEvents<T>(await this.#transport.send(request), request);
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #path(resource: Resource<KubeObject>, options: { namespace?: string }, name?: string, subresource?: string): string {
    const api = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
    const scope = resource.namespaced ? `/namespaces/${encodeURIComponent(options.namespace ?? this.namespace)}` : '';
    const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
    return `${this.#basePath}${api}${scope}/${resource.plural}${object}${subresource ? `/${subresource}` : ''}`;
  }
}

const selection = ({ labelSelector, fieldSelector }: Selection) => ({ labelSelector, fieldSelector });

function query(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, `${value}`] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
