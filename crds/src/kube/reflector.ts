/**
 * Keeps a store equal to the API server and reports changes. Lists in pages, then watches from the last resource version
 * seen (bookmarks included). Lists again when that version is too old or the resync is due. Waits with jitter after
 * errors and retries until its signal fires.
 *
 * Modelled after client-go's reflector and gardener's kube-client. The informer of @kubernetes/client-node has no
 * bookmarks, no resync and stops at errors.
 */

import { type BackoffOptions, backoffMs, sleep } from './backoff.ts';
import type { KubeClient, ListedPage, Selection } from './client.ts';
import { ConnectionError, isExpired, isTooManyRequests } from './errors.ts';
import { type KubeObject, keyOf, type Resource, type Stored } from './objects.ts';
import { type IndexFunction, Store } from './store.ts';

export interface Change<S> {
  /** `synced`: an unchanged object, reported after a relist so that lost reactions are repeated. */
  type: 'added' | 'modified' | 'deleted' | 'synced';
  key: string;
  object: S;
  previous?: S;
}

export interface ReflectorOptions<T extends KubeObject, S> extends Selection {
  client: Pick<KubeClient, 'list' | 'watch'>;
  resource: Resource<T>;
  namespace?: string;
  /** Trims an object before it is stored, to save memory. Default: drops managedFields. */
  keep?: (object: Stored<T>) => S;
  indexes?: Record<string, IndexFunction<S>>;
  /** Called for every change after the store was updated. It must only enqueue: it is not awaited and must not throw. */
  onChange?: (change: Change<S>) => void;
  /** Called for every error that causes a wait, for logs and metrics. */
  onError?: (error: unknown, waitMs: number) => void;
  /** Most objects per page. Large objects get smaller pages. */
  pageSize?: number;
  /** Interval of complete lists, ms. 0: never. */
  resyncMs?: number;
  /** Limits of a watch's duration, seconds. Each watch draws one at random. */
  watchSeconds?: [number, number];
  /** Time allowed after the expected end of a watch, ms. Doubles with each timeout in a row. */
  guardMs?: number;
  /** Called when the client had to end a watch. Other watches may be dead too. */
  onSilent?: () => void;
  backoff?: BackoffOptions;
}

const DEFAULTS = {
  pageSize: 500,
  resyncMs: 30 * 60_000,
  // On a half-open connection, or behind a proxy that dropped it, nothing arrives, not even the end of the watch. Only a
  // missing end reveals it, so watches are short unless another watch detects it (WatchGroup).
  watchSeconds: [5, 6] as [number, number],
  guardMs: 2_000,
  // Catches up within 10 s after a long outage.
  backoff: { baseMs: 250, maxMs: 4_000 },
};
/** A watch that ends sooner and without events counts as an error. Otherwise a broken server would cause a tight loop. */
const SHORT_WATCH_MS = 1_000;
const GUARD_MAX_MS = 60_000;
/** Parsed, a page takes about four times its size in memory until the next garbage collection. */
const PAGE_BYTES = 2_000_000;
/** Objects in the first page, whose sizes are unknown. */
const FIRST_PAGE = 20;

export class Reflector<T extends KubeObject, S = Stored<T>> {
  readonly store: Store<S>;
  /** Resolves when the first list is in the store. */
  readonly synced: Promise<void>;
  readonly #options: ReflectorOptions<T, S> & typeof DEFAULTS;
  readonly #versions = new Map<string, string>();
  #markSynced: () => void = () => {};
  #resourceVersion = '';
  #listedAt = 0;
  #failures = 0;
  /** Number of watches in a row that the client had to end. */
  #late = 0;
  /** Ends the open watch. */
  #endWatch: () => void = () => {};

  constructor(options: ReflectorOptions<T, S>) {
    this.#options = { ...DEFAULTS, ...options };
    this.store = new Store(options.indexes);
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
  }

  /** True while the last list or watch succeeded. */
  get healthy(): boolean {
    return this.#listedAt > 0 && this.#failures < 3;
  }

  /** The resource version up to which the store is complete. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Ends the open watch and resumes at the last version on a new connection. */
  renewWatch(): void {
    this.#endWatch();
  }

  /** Runs until the signal fires. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === '' || this.#resyncIsDue()) await this.#list(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) this.#resourceVersion = '';
        await this.#wait(error, signal);
      }
    }
  }

  async #wait(error: unknown, signal: AbortSignal): Promise<void> {
    this.#failures++;
    // The first "too old" is normal: list again at once.
    if (isExpired(error) && this.#failures === 1) return;
    const asked = isTooManyRequests(error) ? (error.retryAfter ?? 0) * 1000 : 0;
    const waitMs = Math.max(asked, backoffMs(this.#failures, this.#options.backoff));
    this.#options.onError?.(error, waitMs);
    await sleep(waitMs, signal);
  }

  #resyncIsDue(): boolean {
    return this.#options.resyncMs > 0 && performance.now() - this.#listedAt >= this.#options.resyncMs;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector } = this.#options;
    // Keep only keys: each page is trimmed into the store before the next is requested.
    const found = new Set<string>();
    let limit = Math.min(FIRST_PAGE, this.#options.pageSize);
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const page = await client.list(resource, {
        signal,
        limit,
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(next !== undefined && { continue: next }),
      });
      for (const item of page.items) {
        const key = keyOf(item);
        found.add(key);
        this.#put(key, item, 'synced');
      }
      limit = nextPageSize(page, limit, this.#options.pageSize);
      resourceVersion = page.metadata.resourceVersion;
      next = page.metadata.continue || undefined;
    } while (next !== undefined);

    for (const key of this.store.keys()) if (!found.has(key)) this.#remove(key);
    this.#resourceVersion = resourceVersion;
    this.#listedAt = performance.now();
    this.#markSynced();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector, watchSeconds, guardMs } = this.#options;
    const [least, most] = watchSeconds;
    const timeoutSeconds = Math.max(1, Math.round(least + (most - least) * Math.random()));
    signal.throwIfAborted();
    const guarded = new AbortController();
    const stop = (): void => guarded.abort();
    signal.addEventListener('abort', stop, { once: true });
    // An overloaded server starts watches slowly. Give it more time instead of more requests.
    let isLate = false;
    const guard = setTimeout(
      () => {
        isLate = true;
        stop();
      },
      timeoutSeconds * 1000 + Math.min(guardMs * 2 ** this.#late, GUARD_MAX_MS),
    );
    this.#endWatch = stop;
    const started = performance.now();
    let items = 0;
    try {
      const events = client.watch(resource, {
        signal: guarded.signal,
        resourceVersion: this.#resourceVersion,
        timeoutSeconds,
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
        ...(fieldSelector !== undefined && { fieldSelector }),
      });
      for await (const event of events) {
        items++;
        this.#failures = 0;
        this.#late = 0;
        const key = keyOf(event.object);
        if (event.type === 'DELETED') this.#remove(key, event.object);
        else if (event.type !== 'BOOKMARK') this.#put(key, event.object);
        this.#resourceVersion = event.object.metadata.resourceVersion;
      }
    } catch (error) {
      // The client ended the watch. Starting the next watch shows whether there is a problem.
      if (signal.aborted || !guarded.signal.aborted) throw error;
      if (!isLate) return;
      this.#late++;
      this.#options.onSilent?.();
    } finally {
      clearTimeout(guard);
      this.#endWatch = () => {};
      signal.removeEventListener('abort', stop);
    }
    if (items === 0 && performance.now() - started < SHORT_WATCH_MS)
      throw new ConnectionError(`watch of ${resource.plural}: ended at once without an item`, 'SHORT_WATCH');
    this.#failures = 0;
  }

  #put(key: string, object: Stored<T>, ifSame?: 'synced'): void {
    const previous = this.store.get(key);
    const version = object.metadata.resourceVersion;
    if (previous !== undefined && this.#versions.get(key) === version) {
      if (ifSame) this.#tell({ type: ifSame, key, object: previous, previous });
      return;
    }
    const kept = this.#options.keep ? this.#options.keep(object) : (withoutManagedFields(object) as unknown as S);
    this.store.set(key, kept);
    this.#versions.set(key, version);
    this.#tell(
      previous === undefined ? { type: 'added', key, object: kept } : { type: 'modified', key, object: kept, previous },
    );
  }

  #remove(key: string, last?: Stored<T>): void {
    const previous = this.store.get(key);
    if (previous === undefined) return;
    this.store.delete(key);
    this.#versions.delete(key);
    const object = last && this.#options.keep ? this.#options.keep(last) : ((last as unknown as S) ?? previous);
    this.#tell({ type: 'deleted', key, object, previous });
  }

  #tell(change: Change<S>): void {
    try {
      this.#options.onChange?.(change);
    } catch (error) {
      this.#options.onError?.(error, 0);
    }
  }
}

/** Returns the size of the next page for about PAGE_BYTES: an AnalysisTask may have 512 KiB, a Pod has 15. */
function nextPageSize(page: ListedPage<KubeObject>, limit: number, most: number): number {
  if (page.bytes === undefined || page.items.length === 0) return limit;
  return Math.max(1, Math.min(most, Math.floor((PAGE_BYTES * page.items.length) / page.bytes)));
}

function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<T>['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
