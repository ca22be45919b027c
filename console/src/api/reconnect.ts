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
/** Within this time after a reload the page shows the error instead of reloading again. */
const RELOAD_AGAIN_MS = 30_000;

export interface ReloadEnvironment {
  storage: Storage;
  reload: () => void;
  now: () => number;
  /** Resolves when the server answers again, with any status. */
  reachable: () => Promise<void>;
}

/**
 * Reloads the page after the last retry. Returns false when a recent reload did not help. Waits under the banner until
 * the server answers, because a reload before that would show the browser's own error page.
 */
export function reloadOnce({ storage, reload, now, reachable }: ReloadEnvironment = browser): boolean {
  const last = Number(storage.getItem(RELOADED_KEY) ?? 0);
  if (now() - last < RELOAD_AGAIN_MS) return false;
  storage.setItem(RELOADED_KEY, String(now()));
  window.dispatchEvent(new Event('seqpanel:before-reload'));
  void reachable().then(() => {
    storage.setItem(RELOADED_KEY, String(now()));
    reload();
  });
  return true;
}

const PROBE_MS = 1_000;

async function serverAnswers(): Promise<void> {
  for (;;) {
    const answered = await window.fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}

const browser: ReloadEnvironment = {
  storage: window.sessionStorage,
  reload: () => window.location.reload(),
  now: Date.now,
  reachable: serverAnswers,
};
