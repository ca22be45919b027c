/**
 * Keeps a store equal to what the API server holds, and says what changed: a paged list, then watches that resume at
 * the last resource version seen (bookmarks included), a new list when that version is too old or the resync is due,
 * jittered waits after errors. It never gives up before its signal fires.
 *
 * Modelled after client-go's reflector and gardener's kube-client; @kubernetes/client-node's informer has no
 * bookmarks, no resync and stops at errors.
 */

import { type BackoffOptions, backoffMs, sleep } from './backoff.ts';
import type { KubeClient, ListedPage, Selection } from './client.ts';
import { ConnectionError, isExpired, isTooManyRequests } from './errors.ts';
import { type KubeObject, keyOf, type Resource, type Stored } from './objects.ts';
import { type IndexFunction, Store } from './store.ts';

export interface Change<S> {
  /** `synced`: told after a relist for what has not changed, so that a lost reaction is repeated. */
  type: 'added' | 'modified' | 'deleted' | 'synced';
  key: string;
  object: S;
  previous?: S;
}

export interface ReflectorOptions<T extends KubeObject, S> extends Selection {
  client: Pick<KubeClient, 'list' | 'watch'>;
  resource: Resource<T>;
  namespace?: string;
  /** What is kept of an object; leaving out what nobody reads saves memory. Default: all but managedFields. */
  keep?: (object: Stored<T>) => S;
  indexes?: Record<string, IndexFunction<S>>;
  /** Told of every change, after the store has it. It must only enqueue: it is not awaited and may not throw. */
  onChange?: (change: Change<S>) => void;
  /** Told of every error that made it wait; for the log and the metrics. */
  onError?: (error: unknown, waitMs: number) => void;
  /** Most objects in a page; fewer where objects are large. */
  pageSize?: number;
  /** Everything is listed again after this many ms; 0 = never. */
  resyncMs?: number;
  /** Bounds of a watch's length, seconds; drawn at random between them. */
  watchSeconds?: [number, number];
  /** The server's end of a watch may be this late before the client ends it, ms; each time in a row twice as much. */
  guardMs?: number;
  /** Called when the client had to end a watch: other watches may be silent, too. */
  onSilent?: () => void;
  backoff?: BackoffOptions;
}

const DEFAULTS = {
  pageSize: 500,
  resyncMs: 30 * 60_000,
  // A connection may be half open, or a proxy between may have forgotten it: then nothing arrives any more, not even the
  // end. Only an end that does not come on time shows it, so a watch is short where no other watch notices (WatchGroup).
  watchSeconds: [5, 6] as [number, number],
  guardMs: 2_000,
  // What was missed in a long outage must be caught up within 10 s of its end.
  backoff: { baseMs: 250, maxMs: 4_000 },
};
/** A watch that ends sooner and brought nothing counts as an error, else a broken server would be asked in a tight loop. */
const SHORT_WATCH_MS = 1_000;
const GUARD_MAX_MS = 60_000;
/** A page of this size, parsed, takes about four times as much memory until the next garbage collection. */
const PAGE_BYTES = 2_000_000;
/** Objects of the first page, whose sizes are unknown. */
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
  /** Watches in a row that the client had to end. */
  #late = 0;
  /** Ends the watch that is open. */
  #endWatch: () => void = () => {};

  constructor(options: ReflectorOptions<T, S>) {
    this.#options = { ...DEFAULTS, ...options };
    this.store = new Store(options.indexes);
    this.synced = new Promise((resolve) => {
      this.#markSynced = resolve;
    });
  }

  /** True while the last list or watch worked. */
  get healthy(): boolean {
    return this.#listedAt > 0 && this.#failures < 3;
  }

  /** The resource version up to which the store is known to be complete. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Ends the open watch and resumes at the last version on a new connection. */
  renewWatch(): void {
    this.#endWatch();
  }

  /** Runs until the signal fires; rejects never. */
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
    // The first "too old" is everyday life: list again at once.
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
    // Only keys outlive a page: a page's objects are trimmed into the store before the next page is requested.
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
    // A server with too much to do is slow to begin a watch, and must not be asked ever more often for that.
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
      // Ended by the client: what is wrong, if anything, shows when the next watch is begun.
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

/** The size of the next page, so that it has about PAGE_BYTES: an AnalysisTask may have 512 KiB, a Pod has 15. */
function nextPageSize(page: ListedPage<KubeObject>, limit: number, most: number): number {
  if (page.bytes === undefined || page.items.length === 0) return limit;
  return Math.max(1, Math.min(most, Math.floor((PAGE_BYTES * page.items.length) / page.bytes)));
}

function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<T>['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
