import { QueryClient } from '@tanstack/react-query';

/** The fetch client repeats what may be repeated; the query client adds nothing. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
