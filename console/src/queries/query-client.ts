import { QueryClient } from '@tanstack/react-query';

/** Query client without retries: the fetch client already retries idempotent calls. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
