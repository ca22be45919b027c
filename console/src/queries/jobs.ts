import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/generated.ts';
import { useLive } from '../hooks/use-live.ts';

export type Job = components['schemas']['Job'];

const JOBS = 'jobs';
const isOpen = ({ state }: Pick<Job, 'state'>): boolean => state === 'queued' || state === 'running';

/**
 * A job, followed over the websocket until it has ended. `group`: undefined for work on the installation. `id`: undefined
 * while nothing was started.
 *
 * @example const job = useJob(group, started?.id);
 */
export function useJob(group: string | undefined, id: string | undefined) {
  const client = useQueryClient();
  const queryKey = [JOBS, group ?? 'admin', id];
  const { refetchInterval } = useLive({
    onEvent: ({ job, type }) => {
      if (job === id || type === 'resync') void client.invalidateQueries({ queryKey });
    },
  });
  return useQuery({
    queryKey,
    enabled: id !== undefined,
    queryFn: () =>
      group === undefined
        ? answer(api.GET('/api/v1/pivat/admin/jobs/{id}', { params: { path: { id: id as string } } }))
        : answer(api.GET('/api/v1/pivat/{group}/jobs/{id}', { params: { path: { group, id: id as string } } })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? refetchInterval : false),
  });
}

/** Stops a job: it ends as soon as it can. */
export const cancelJob = (group: string | undefined, id: string): Promise<Job> =>
  group === undefined
    ? answer(api.POST('/api/v1/pivat/admin/jobs/{id}/cancel', { params: { path: { id } } }))
    : answer(api.POST('/api/v1/pivat/{group}/jobs/{id}/cancel', { params: { path: { group, id } } }));
