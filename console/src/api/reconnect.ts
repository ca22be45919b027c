/** The state behind the "Reconnecting… 3/5" banner: the highest running retry of all calls, 0 when there is none. */
export function createReconnectState() {
  let attempt = 0;
  const listeners = new Set<() => void>();
  return {
    get: () => attempt,
    set(next: number) {
      if (next === attempt) return;
      attempt = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const reconnect = createReconnectState();

const RELOADED_KEY = 'seqpanel.reloaded';
/** A reload within this time after the last one would only repeat it: the page then shows the error instead. */
const RELOAD_AGAIN_MS = 30_000;

/** Reloads the page after the last retry; false when that was just done and did not help. */
export function reloadOnce(
  storage: Storage = window.sessionStorage,
  reload: () => void = () => window.location.reload(),
  now: () => number = Date.now,
): boolean {
  const last = Number(storage.getItem(RELOADED_KEY) ?? 0);
  if (now() - last < RELOAD_AGAIN_MS) return false;
  storage.setItem(RELOADED_KEY, String(now()));
  window.dispatchEvent(new Event('seqpanel:before-reload'));
  reload();
  return true;
}
