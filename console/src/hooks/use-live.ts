import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { LiveEvent, LiveState } from '../api/live.ts';
import { live } from '../api/live-socket.ts';

/** Interval at which a page polls while the websocket is down. */
export const POLL_ACTIVE_MS = 10_000;
export const POLL_IDLE_MS = 60_000;

/**
 * Listens to the websocket while the page is open. Returns the connection's state and a `refetchInterval` for queries,
 * which polls only while the socket is down and something is unfinished.
 *
 * @example const { state, refetchInterval } = useLive({ onEvent: (event) => …, isUnfinished }); const query =
 * useQuery({ …, refetchInterval });
 */
export function useLive({
  onEvent,
  isUnfinished = true,
}: {
  onEvent: (event: LiveEvent) => void;
  isUnfinished?: boolean;
}): {
  state: LiveState;
  refetchInterval: number | false;
} {
  const latest = useRef(onEvent);
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => live.listen((event) => latest.current(event)), []);
  const state = useSyncExternalStore(live.onState, live.get);
  const isHidden = useSyncExternalStore(onVisibility, () => document.hidden);
  const refetchInterval = state === 'down' && isUnfinished ? (isHidden ? POLL_IDLE_MS : POLL_ACTIVE_MS) : false;
  return { state, refetchInterval };
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
