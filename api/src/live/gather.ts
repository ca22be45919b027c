/** Throttles events by key: passes the first at once and the newest of the others after the interval. */

export interface Gather<T> {
  add(key: string, event: T): void;
  /** Stops passing events. */
  stop(): void;
}

export function createGather<T>(windowMs: number, emit: (event: T) => void): Gather<T> {
  const open = new Map<string, { timer: NodeJS.Timeout; next?: T }>();
  const begin = (key: string, event: T): void => {
    emit(event);
    const timer = setTimeout(() => {
      const { next } = open.get(key)!;
      open.delete(key);
      if (next !== undefined) begin(key, next);
    }, windowMs);
    timer.unref();
    open.set(key, { timer });
  };
  return {
    add: (key, event) => {
      const window = open.get(key);
      if (window) window.next = event;
      else begin(key, event);
    },
    stop: () => {
      for (const { timer } of open.values()) clearTimeout(timer);
      open.clear();
    },
  };
}
