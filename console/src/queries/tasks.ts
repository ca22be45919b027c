import { isOpen } from '@seqpanel/crds/task-status.ts';
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { answer, api, sessionFetch } from '../api/client.ts';
import type { components, paths } from '../api/generated.ts';
import type { LiveEvent } from '../api/live.ts';
import { ADMIN } from './admin.ts';
import { useGatheredRefetch } from './gathered-refetch.ts';

export type TaskRow = components['schemas']['TaskRow'];
export type TaskDetail = components['schemas']['TaskDetail'];
export type TaskSampleRow = components['schemas']['TaskSampleRow'];
export type StageProgress = components['schemas']['StageProgress'];
export type TaskInfo = components['schemas']['TaskInfo'];
export type LogFile = components['schemas']['LogFile'];
export type OutputFile = components['schemas']['OutputFile'];
export type RerunCheck = components['schemas']['RerunCheck'];
export type TaskListParams = NonNullable<paths['/api/v1/pivat/{group}/tasks']['get']['parameters']['query']>;

/** A task that may still change. */
export const isUnfinished = (status: TaskRow['status']): boolean => isOpen(status);

export const taskKeys = {
  all: (group: string) => ['tasks', group] as const,
  list: (group: string, params: TaskListParams) => ['tasks', group, 'list', params] as const,
  one: (group: string, id: string) => ['tasks', group, id] as const,
};

const path = (group: string, id: string) => ({ params: { path: { group, id } } });

export const useTasks = (group: string, query: TaskListParams, refetchInterval: number | false) =>
  useQuery({
    queryKey: taskKeys.list(group, query),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks', { params: { path: { group }, query } })),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

/** Finds a few tasks by a part of name, id or sample. Fetches nothing for ''. */
export const useFoundTasks = (group: string, q: string) => {
  const query: TaskListParams = { q, page_size: 8, sort: 'date', dir: 'desc' };
  return useQuery({
    queryKey: taskKeys.list(group, query),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks', { params: { path: { group }, query } })),
    enabled: q !== '',
  });
};

export const taskQuery = (group: string, id: string) =>
  queryOptions({
    queryKey: taskKeys.one(group, id),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}', path(group, id))),
  });

export const useTask = (group: string, id: string, refetchInterval: number | false = false) =>
  useQuery({ ...taskQuery(group, id), refetchInterval });

export const taskSamplesQuery = (group: string, id: string) =>
  queryOptions({
    queryKey: [...taskKeys.one(group, id), 'samples'],
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/samples', path(group, id))),
  });

export const useTaskSamples = (group: string, id: string, refetchInterval: number | false = false) =>
  useQuery({ ...taskSamplesQuery(group, id), refetchInterval });

export const useTaskInfo = (group: string, id: string) =>
  useQuery({
    queryKey: [...taskKeys.one(group, id), 'taskinfo'],
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/taskinfo', path(group, id))),
  });

export const useTaskLogs = (group: string, id: string) =>
  useQuery({
    queryKey: [...taskKeys.one(group, id), 'logs'],
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/logs', path(group, id))),
  });

/** Number of log lines that are read from the end. */
export const LOG_TAIL_LINES = 5_000;

export const useLogText = (group: string, id: string, name: string | undefined, refetchInterval: number | false) =>
  useQuery({
    queryKey: [...taskKeys.one(group, id), 'log', name],
    enabled: name !== undefined,
    queryFn: async () =>
      (
        await sessionFetch(
          new Request(new URL(`${taskPath(group, id)}/logs/${name}?tail=${LOG_TAIL_LINES}`, window.location.href)),
        )
      ).text(),
    refetchInterval,
  });

export const useTaskOutput = (group: string, id: string) =>
  useQuery({
    queryKey: [...taskKeys.one(group, id), 'output'],
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/tasks/{id}/output', path(group, id))),
  });

export const useRerunCheck = (group: string, id: string | undefined) =>
  useQuery({
    queryKey: [...taskKeys.one(group, id ?? ''), 'rerun'],
    enabled: id !== undefined,
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/task-rerun/{id}', path(group, id!))),
    gcTime: 0,
  });

/** Returns the api's path of a task, for files and logs. */
export const taskPath = (group: string, id: string): string => `/api/v1/pivat/${group}/tasks/${id}`;

/** Refetches the shown tasks of a group when the websocket reports a change. */
export function useTaskEvents(group: string): (event: LiveEvent) => void {
  const refetch = useGatheredRefetch([taskKeys.all(group), ['results', group]]);
  return useCallback(
    ({ type }) => {
      if (type.startsWith('task') || type === 'resync') refetch();
    },
    [refetch],
  );
}

/** `group` undefined: a task of any group, for staff. */
export function useAbortTask(group: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string): Promise<unknown> =>
      group === undefined
        ? answer(api.POST('/api/v1/pivat/admin/tasks/{id}/abort', { params: { path: { id } } }))
        : answer(api.POST('/api/v1/pivat/{group}/tasks/{id}/abort', path(group, id))),
    onSettled: () => client.invalidateQueries({ queryKey: group === undefined ? [ADMIN] : taskKeys.all(group) }),
  });
}

/** Reruns once, however often it is sent with the same key. */
export function useRerunTask(group: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rerun: { id: string; idempotencyKey: string; body: { use_old_version?: boolean } }) =>
      answer(
        api.POST('/api/v1/pivat/{group}/task-rerun/{id}', {
          params: { path: { group, id: rerun.id }, header: { 'Idempotency-Key': rerun.idempotencyKey } },
          body: rerun.body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: taskKeys.all(group) }),
  });
}
