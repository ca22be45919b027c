import type { QueryClient } from '@tanstack/react-query';
import { matchPath } from 'react-router-dom';
import { chosenGroup, DEFAULT_GROUP } from './hooks/use-group.ts';
import { readVariantUrl } from './pages/task-detail/variants/use-variant-url.ts';
import { verifySession } from './queries/auth.ts';
import { profileQuery } from './queries/profile.ts';
import { variantColumnsQuery, variantFacetsQuery, variantsQuery } from './queries/results.ts';
import { taskQuery, taskSamplesQuery } from './queries/tasks.ts';
import { session } from './session/session.ts';

/**
 * Starts the calls of the first page while its code loads, so that they do not wait for its first render. Checks the
 * session before: a call with an invalid token would end the session with another message.
 */
export async function loadAhead(client: QueryClient, { pathname, search }: Location): Promise<void> {
  if (!session.get() || !(await verifySession())) return;
  void client.prefetchQuery(profileQuery);
  const id = matchPath('/secondary-analysis/tasks/:id', pathname)?.params.id;
  if (id === undefined) return;
  const params = new URLSearchParams(search);
  const group = chosenGroup(session.get(), params)?.id ?? DEFAULT_GROUP;
  void client.prefetchQuery(taskQuery(group, id));
  if (params.get('tab') !== 'variants') return;
  const { query, facetQuery } = readVariantUrl(params);
  void client.prefetchQuery(variantColumnsQuery);
  void client.prefetchInfiniteQuery(variantsQuery(group, id, query));
  void client.prefetchQuery(variantFacetsQuery(group, id, facetQuery));
  void client.prefetchQuery(taskSamplesQuery(group, id));
}
