import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { answer, api } from '../api/client.ts';
import type { components, paths } from '../api/generated.ts';
import type { LiveEvent } from '../api/live.ts';
import { useGatheredRefetch } from './gathered-refetch.ts';

export type AdminTaskRow = components['schemas']['AdminTaskRow'];
export type Worker = components['schemas']['Worker'];
export type WorkerPool = components['schemas']['WorkerPool'];
export type TaskResultDetail = components['schemas']['TaskResultDetail'];
export type TaskResultRow = components['schemas']['TaskResultRow'];

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
export type AdminTaskParams = QueryOf<'/api/v1/pivat/admin/tasks'>;
export type WorkerParams = QueryOf<'/api/v1/pivat/admin/workers'>;
export type TaskResultParams = QueryOf<'/api/v1/pivat/admin/task_results'>;

type Refetch = number | false;

/** Key prefix of every query of the admin area, so that one websocket event can refetch all of them. */
export const ADMIN = 'admin';

export const useAdminTasks = (query: AdminTaskParams, refetchInterval: Refetch) =>
  useQuery({
    queryKey: [ADMIN, 'tasks', query],
    queryFn: () => answer(api.GET('/api/v1/pivat/admin/tasks', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

export const useWorkers = (query: WorkerParams, refetchInterval: Refetch) =>
  useQuery({
    queryKey: [ADMIN, 'workers', query],
    queryFn: () => answer(api.GET('/api/v1/pivat/admin/workers', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

export const useWorkerPools = (refetchInterval: Refetch) =>
  useQuery({
    queryKey: [ADMIN, 'pools'],
    queryFn: () => answer(api.GET('/api/v1/pivat/admin/worker_pools')),
    refetchInterval,
  });

export const useAllTaskResults = (query: TaskResultParams, refetchInterval: Refetch) =>
  useQuery({
    queryKey: [ADMIN, 'results', query],
    queryFn: () => answer(api.GET('/api/v1/pivat/admin/task_results', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** Includes result.json and log from storage. `sample`: undefined for the first failed one. */
export const useTaskResult = (id: string, sample: string | undefined) =>
  useQuery({
    queryKey: [ADMIN, 'result', id, sample],
    queryFn: () =>
      answer(
        api.GET('/api/v1/pivat/admin/task_results/{id}', {
          params: { path: { id }, query: sample === undefined ? {} : { sample } },
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** Refetches the admin lists when the websocket reports a change. */
export function useAdminEvents(): (event: LiveEvent) => void {
  const refetch = useGatheredRefetch([[ADMIN]]);
  return useCallback(
    ({ type }) => {
      if (type === 'admin' || type === 'task' || type === 'resync') refetch();
    },
    [refetch],
  );
}
