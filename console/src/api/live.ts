/** One event of the websocket. `type` names what happened; the other fields depend on it. */
export interface LiveEvent {
  type: string;
  [field: string]: unknown;
}

/** `connecting`: not yet, or lost less than 5 s ago. `down`: pages poll. */
export type LiveState = 'connecting' | 'live' | 'down';

/** Pages poll when the socket is disconnected for longer than this. */
export const DOWN_AFTER_MS = 5_000;
const RECONNECT_MIN_MS = 1_000;
const RECONNECT_MAX_MS = 30_000;

interface SocketLike {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send: (text: string) => void;
  close: () => void;
}

/**
 * The console's one websocket: opened by the first listener, closed after the last, reconnected with back-off. The
 * token is its first message, so that no URL contains it; the server answers `ready` when it is valid. After a gap
 * listeners get `resync`, because events may have been missed.
 */
export class LiveConnection {
  readonly #open: () => SocketLike;
  readonly #token: () => string | undefined;
  readonly #events = new Set<(event: LiveEvent) => void>();
  readonly #states = new Set<() => void>();
  #socket: SocketLike | undefined;
  #state: LiveState = 'connecting';
  #hasBeenLive = false;
  #delay = RECONNECT_MIN_MS;
  #downTimer: ReturnType<typeof setTimeout> | undefined;
  #reconnectTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param token returns the current token; undefined when nobody is logged in. */
  constructor(open: () => SocketLike, token: () => string | undefined) {
    this.#open = open;
    this.#token = token;
  }

  /** Sends a renewed token. Without it the server closes the connection when the old token expires. */
  renew(): void {
    const token = this.#token();
    if (this.#state === 'live' && token) this.#socket?.send(JSON.stringify({ token }));
  }

  get = (): LiveState => this.#state;

  /** Calls the listener when the state changes. */
  onState = (listener: () => void): (() => void) => {
    this.#states.add(listener);
    return () => void this.#states.delete(listener);
  };

  listen(listener: (event: LiveEvent) => void): () => void {
    this.#events.add(listener);
    if (this.#events.size === 1) this.#connect();
    return () => {
      this.#events.delete(listener);
      if (this.#events.size === 0) this.#disconnect();
    };
  }

  #connect(): void {
    this.#downTimer ??= setTimeout(() => this.#set('down'), DOWN_AFTER_MS);
    const token = this.#token();
    if (token === undefined) {
      this.#retry();
      return;
    }
    const socket = this.#open();
    this.#socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token }));
    socket.onmessage = ({ data }) => {
      const event = parse(data);
      if (event?.type === 'ready') this.#ready();
      else if (event) this.#tell(event);
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (this.#state === 'live') this.#set('connecting');
      this.#downTimer ??= setTimeout(() => this.#set('down'), DOWN_AFTER_MS);
      this.#retry();
    };
  }

  #ready(): void {
    const isRenewal = this.#state === 'live';
    clearTimeout(this.#downTimer);
    this.#downTimer = undefined;
    this.#delay = RECONNECT_MIN_MS;
    this.#set('live');
    if (this.#hasBeenLive && !isRenewal) this.#tell({ type: 'resync' });
    this.#hasBeenLive = true;
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#events) listener(event);
  }

  #retry(): void {
    clearTimeout(this.#reconnectTimer);
    this.#reconnectTimer = setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, RECONNECT_MAX_MS);
  }

  #disconnect(): void {
    clearTimeout(this.#downTimer);
    clearTimeout(this.#reconnectTimer);
    this.#downTimer = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#set('connecting');
  }

  #set(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#states) listener();
  }
}

function parse(data: unknown): LiveEvent | undefined {
  try {
    const event: unknown = JSON.parse(String(data));
    return typeof event === 'object' && event !== null && typeof (event as LiveEvent).type === 'string'
      ? (event as LiveEvent)
      : undefined;
  } catch {
    return undefined;
  }
}
