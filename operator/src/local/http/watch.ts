/**
 * Watches. A watch is a position in the log. Each commit, and each drain of its socket, sends the entries behind it. So
 * resuming, catching up and slow clients share one code path, and nothing is buffered per client.
 */

import type { ServerResponse } from 'node:http';
import type { Obj } from '../objects/metadata.ts';
import { apiVersion, type ResourceType } from '../objects/resources.ts';
import { ApiError, expired } from '../objects/status.ts';
import type { Change, Store } from '../objects/store.ts';
import type { Selector } from './selectors.ts';

export interface WatchQuery {
  ns: string;
  selector: Selector;
  /** Start position; undefined sends the current objects first. */
  from?: number;
  bookmarks: boolean;
  /** Sends a bookmark with k8s.io/initial-events-end after the current objects. */
  initialEvents: boolean;
  timeoutSeconds: number;
  /** Converts the JSON of an object, for example to a Table; undefined sends it unchanged. */
  render?: ((object: string) => string) | undefined;
}

/** kube-apiserver sends a bookmark every minute, and one about two seconds before the end. */
const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2_000;

/** The watches of one server. */
export class Watches {
  readonly #store: Store;
  readonly #open = new Map<string, Set<WatchStream>>();

  constructor(store: Store) {
    this.#store = store;
    store.onCommit((changes) => {
      for (const kind of new Set(changes.map((change) => change.kind))) {
        for (const stream of this.#open.get(kind) ?? []) stream.pump();
      }
    });
  }

  /** Starts a watch. Throws 410 before sending anything when the requested version is compacted. */
  start(type: ResourceType, query: WatchQuery, response: ServerResponse): void {
    const store = this.#store;
    if (query.from !== undefined && (query.from < store.compacted || query.from > store.rv)) {
      throw expired(query.from, store.compacted);
    }
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    const streams = this.#open.get(type.id) ?? new Set();
    this.#open.set(type.id, streams);
    const stream = new WatchStream(store, type, query, response);
    streams.add(stream);
    response.on('close', () => {
      streams.delete(stream);
      stream.end();
    });
    stream.start();
  }

  /** Ends all watches, as a stopping server does. */
  stop(): void {
    for (const streams of this.#open.values()) for (const stream of streams) stream.end();
  }
}

class WatchStream {
  readonly #store: Store;
  readonly #type: ResourceType;
  readonly #query: WatchQuery;
  readonly #response: ServerResponse;
  readonly #timers: NodeJS.Timeout[] = [];
  #position = 0;
  #blocked = false;

  constructor(store: Store, type: ResourceType, query: WatchQuery, response: ServerResponse) {
    this.#store = store;
    this.#type = type;
    this.#query = query;
    this.#response = response;
  }

  start(): void {
    const { from, selector, ns, timeoutSeconds, bookmarks } = this.#query;
    if (from === undefined) {
      this.#position = this.#store.rv;
      for (const row of this.#store.list(this.#type.id, ns)) {
        if (!selector || selector(JSON.parse(row.object) as Obj)) this.#send('ADDED', row.object);
      }
      if (this.#query.initialEvents) this.#bookmark({ annotations: { 'k8s.io/initial-events-end': 'true' } });
    } else this.#position = from;
    this.#response.on('drain', () => {
      this.#blocked = false;
      this.pump();
    });
    const life = timeoutSeconds * 1000;
    this.#timers.push(setTimeout(() => this.end(), life));
    if (bookmarks) {
      this.#timers.push(setInterval(() => this.#bookmark(), BOOKMARK_MS));
      if (life > 2 * LAST_BOOKMARK_MS) this.#timers.push(setTimeout(() => this.#bookmark(), life - LAST_BOOKMARK_MS));
    }
    this.pump();
  }

  /** Sends the entries since the position, unless the client is behind. */
  pump(): void {
    if (this.#response.writableEnded) return;
    while (!this.#blocked) {
      if (this.#position < this.#store.compacted) {
        const { body } = expired(this.#position, this.#store.compacted);
        this.#write('ERROR', JSON.stringify(body));
        this.end();
        return;
      }
      const newest = this.#store.rv;
      const changes = this.#store.changes(this.#type.id, this.#query.ns, this.#position);
      if (changes.length === 0) {
        this.#position = newest;
        return;
      }
      for (const change of changes) {
        this.#show(change);
        this.#position = change.rv;
        if (this.#blocked) return;
      }
    }
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#response.end();
  }

  #show({ object, previous, deleted, rv }: Change): void {
    const { selector } = this.#query;
    const shown = (json: string | null): boolean => json !== null && (!selector || selector(JSON.parse(json) as Obj));
    const before = shown(previous);
    const now = deleted === 0 && shown(object);
    if (now) this.#send(before ? 'MODIFIED' : 'ADDED', object);
    else if (before && deleted) this.#send('DELETED', object);
    else if (before) {
      // It left the selection: send its last selected state with the version of the change.
      const last = JSON.parse(previous!) as Obj;
      last.metadata.resourceVersion = String(rv);
      this.#send('DELETED', JSON.stringify(last));
    }
  }

  #bookmark(metadata: object = {}): void {
    if (this.#blocked || this.#response.writableEnded) return;
    const object = {
      kind: this.#type.kind,
      apiVersion: apiVersion(this.#type),
      metadata: { resourceVersion: String(this.#position), ...metadata },
    };
    this.#write('BOOKMARK', JSON.stringify(object));
  }

  #send(type: string, object: string): void {
    this.#write(type, this.#query.render ? this.#query.render(object) : object);
  }

  #write(type: string, object: string): void {
    if (!this.#response.write(`{"type":"${type}","object":${object}}\n`)) this.#blocked = true;
  }
}

/** Parses the query of a watch request. */
export function watchQuery(params: URLSearchParams, ns: string, selector: Selector): WatchQuery {
  const initialEvents = params.get('sendInitialEvents') === 'true';
  const version = params.get('resourceVersion');
  if (version && !/^\d+$/.test(version)) throw new ApiError(400, 'BadRequest', `invalid resource version "${version}"`);
  return {
    ns,
    selector,
    ...(version && version !== '0' && !initialEvents && { from: Number(version) }),
    bookmarks: params.get('allowWatchBookmarks') === 'true',
    initialEvents,
    // Default of kube-apiserver: 30 to 60 minutes.
    timeoutSeconds: Number(params.get('timeoutSeconds')) || 1800 + Math.floor(Math.random() * 1800),
  };
}
