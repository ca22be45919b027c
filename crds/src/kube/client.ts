/** The Kubernetes API calls of SeqPanel, typed by resource. Every call takes an AbortSignal. */

import type { KubeAccess } from './access.ts';
import { checkShape } from './check-shape.ts';
import { ignoreGone } from './ignore-gone.ts';
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
  /** Default: the client's namespace. Ignored for cluster-scoped resources. */
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
  /** Size of the answer, used to choose the size of the next page. */
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
  /** Required, because the default for batch/v1 Jobs orphans their pods. */
  propagation: Propagation;
  gracePeriodSeconds?: number;
  /** Deletes only the object with this uid, not a later one of the same name. */
  uid?: string;
  resourceVersion?: string;
}

export interface KubeClientOptions {
  /** Default: the namespace of the access, otherwise `default`. */
  namespace?: string;
  userAgent?: string;
  /** Called before each attempt of a request. The request throws what it throws. */
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

  /** Returns the last lines of a pod's log. Throws NotFound when it is gone, BadRequest before its container started. */
  log(pod: string, options: CallOptions & { tailLines: number }): Promise<string> {
    const path = `${this.#path(PODS, options, pod)}/log${query({ tailLines: options.tailLines })}`;
    return this.#transport.text({ method: 'GET', path, accept: '*/*', signal: options.signal });
  }

  /** Returns where the server serves a kind, or undefined when it does not know group, version or name. */
  async find(apiVersion: string, kind: string, signal: AbortSignal): Promise<Resource<KubeObject> | undefined> {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const path = [this.#basePath, group ? 'apis' : 'api', ...apiVersion.split('/').map(encodeURIComponent)].join('/');
    const all = await ignoreGone(
      this.#transport.json<{ resources: { name: string; kind: string; namespaced: boolean }[] }>({
        method: 'GET',
        path,
        signal,
      }),
    );
    // Skip subresources, which are listed as `name/scale` with kinds of their own.
    const found = all?.resources.find((each) => each.kind === kind && !each.name.includes('/'));
    if (!found) return undefined;
    return { group: group ?? '', version: version ?? '', plural: found.name, kind, namespaced: found.namespaced };
  }

  /** Returns one page. `metadata.continue` requests the next. */
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

  /** Throws AlreadyExists or Invalid. Does not send an object of our kinds that violates its schema. */
  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: CallOptions): Promise<Stored<T>> {
    await checkShape(resource, object);
    return this.#transport.json({
      method: 'POST',
      path: this.#path(resource, options),
      body: object,
      signal: options.signal,
    });
  }

  /** Replaces the object. Throws Conflict when its resourceVersion is outdated. Validates like `create`. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: PatchOptions): Promise<Stored<T>> {
    const path = this.#path(resource, options, object.metadata?.name ?? '', options.subresource);
    if (!options.subresource) await checkShape(resource, object);
    return this.#transport.json({ method: 'PUT', path, body: object, signal: options.signal });
  }

  /** Sends a merge patch (RFC 7386). With `metadata.resourceVersion` in it, throws Conflict if the object has changed. */
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

  /** Returns the object that is being deleted, or a Status when it is gone. Throws NotFound, Conflict (uid differs). */
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
   * Yields events after `resourceVersion`, with bookmarks, until the server ends the watch. Throws KubeError for an
   * ERROR in the stream (Gone: list again), ConnectionError when the stream is interrupted.
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
