import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/generated.ts';
import { taskKeys } from './tasks.ts';

export type LaunchRequest = components['schemas']['LaunchRequest'];
export type LaunchProblem = components['schemas']['LaunchProblem'];
export type LaunchAnswer = components['schemas']['LaunchAnswer'];
export type PanelType = components['schemas']['PanelType'];
export type PresetInfo = components['schemas']['PresetInfo'];

/** Page size that fetches all parameters files at once. */
const ALL_PRESETS = { page: 1, page_size: 9_999 };

/** Panel types that the user may launch in the group. */
export const usePanels = (group: string) =>
  useQuery({
    queryKey: ['panels', group],
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/panel-types', { params: { path: { group } } })),
  });

/** Parameters files of one panel, by the panel's value. */
export const usePresets = (group: string, panel: string | undefined) =>
  useQuery({
    queryKey: ['presets', group, panel],
    enabled: panel !== undefined,
    queryFn: () =>
      answer(
        api.GET('/api/v1/pivat/{group}/custom-preset/info', {
          params: { path: { group }, query: { ...ALL_PRESETS, panel: panel! } },
        }),
      ),
  });

/** Asks the server for the broken rules of a launch. Creates nothing. */
export const useLaunchCheck = (group: string, request: LaunchRequest) =>
  useQuery({
    queryKey: ['launch-check', group, request],
    queryFn: () =>
      answer(api.POST('/api/v1/pivat/{group}/analysis/check-launch', { params: { path: { group } }, body: request })),
    gcTime: 0,
  });

/** Launches once, also when sent several times with the same key. `onSuccess` runs even when the page was left. */
export function useLaunch(group: string, onSuccess: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ request, idempotencyKey }: { request: LaunchRequest; idempotencyKey: string }) =>
      answer(
        api.POST('/api/v1/pivat/{group}/analysis/launch-task', {
          params: { path: { group }, header: { 'Idempotency-Key': idempotencyKey } },
          body: request,
        }),
      ),
    onSuccess,
    onSettled: () => client.invalidateQueries({ queryKey: taskKeys.all(group) }),
  });
}
