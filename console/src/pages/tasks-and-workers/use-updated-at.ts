import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { ADMIN } from '../../queries/admin.ts';

/** Returns the time of the last update of the admin area's data, ms. */
export function useUpdatedAt(): number {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => Math.max(0, ...cache.findAll({ queryKey: [ADMIN], type: 'active' }).map(({ state }) => state.dataUpdatedAt)),
  );
}
