import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';

/** Shortest time between two refetches, because many tasks may change at once. */
export const GATHER_MS = 500;

/**
 * Refetches the queries of these keys soon. Waits for a running fetch and then fetches again, so that events neither
 * cancel a slow answer nor leave an outdated one.
 */
export function useGatheredRefetch(keys: readonly QueryKey[]): () => void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wanted = useRef(keys);
  wanted.current = keys;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    const refetch = (): void => {
      timer.current = undefined;
      if (wanted.current.some((queryKey) => client.isFetching({ queryKey }) > 0)) {
        timer.current = setTimeout(refetch, GATHER_MS);
        return;
      }
      for (const queryKey of wanted.current) void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    };
    timer.current ??= setTimeout(refetch, GATHER_MS);
  }, [client]);
}
