import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { allPages } from '../api/all-pages.ts';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/generated.ts';

export type Project = components['schemas']['Project'];
export type ProjectFile = components['schemas']['ProjectFile'];
export type GroupStorage = components['schemas']['GroupStorage'];

/** [API-29] Page size that fetches all projects at once. */
const ALL = { page_size: 99_999 };

export const projectKeys = {
  all: (group: string) => ['projects', group] as const,
  list: (group: string) => ['projects', group, 'list'] as const,
  one: (group: string, id: string) => ['projects', group, id] as const,
  files: (group: string, id: string) => ['projects', group, id, 'files'] as const,
  storage: (group: string) => ['projects', group, 'storage'] as const,
};

export const projectsQuery = (group: string) =>
  queryOptions({
    queryKey: projectKeys.list(group),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/projects', { params: { path: { group }, query: ALL } })),
  });

export const projectQuery = (group: string, id: string) =>
  queryOptions({
    queryKey: projectKeys.one(group, id),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/projects/{id}', { params: { path: { group, id } } })),
  });

export const projectFilesQuery = (group: string, id: string) =>
  queryOptions({
    queryKey: projectKeys.files(group, id),
    queryFn: () =>
      allPages((query) =>
        answer(api.GET('/api/v1/pivat/{group}/projects/{id}/filelist', { params: { path: { group, id }, query } })),
      ),
  });

export const groupStorageQuery = (group: string) =>
  queryOptions({
    queryKey: projectKeys.storage(group),
    queryFn: () => answer(api.GET('/api/v1/pivat/{group}/group-storage', { params: { path: { group } } })),
    staleTime: 60_000,
  });

export const useProjects = (group: string) => useQuery(projectsQuery(group));
export const useProject = (group: string, id: string) => useQuery(projectQuery(group, id));
/** Fetches nothing while no project is selected (''). */
export const useProjectFiles = (group: string, id: string) =>
  useQuery({ ...projectFilesQuery(group, id), enabled: id !== '' });
/** A user without a group has no storage. */
export const useGroupStorage = (group: string, isAsked = true) =>
  useQuery({ ...groupStorageQuery(group), enabled: isAsked });

/** Changes the group's projects, then refetches every list and the storage of the group. */
function useProjectMutation<Input, Output>(group: string, run: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: projectKeys.all(group) }),
  });
}

export const useCreateProject = (group: string) =>
  useProjectMutation(group, (name: string) =>
    answer(api.POST('/api/v1/pivat/{group}/projects', { params: { path: { group } }, body: { name } })),
  );

export const useRenameProject = (group: string) =>
  useProjectMutation(group, (body: { id: string; name: string }) =>
    answer(api.PUT('/api/v1/pivat/{group}/projects', { params: { path: { group } }, body })),
  );

export const useDeleteProject = (group: string) =>
  useProjectMutation(group, (id: string) =>
    answer(api.POST('/api/v1/pivat/{group}/projects/{id}/delete', { params: { path: { group, id } } })),
  );

/** Deletes files one after the other. Stops at the first rejection. */
export const useDeleteFiles = (group: string, id: string) =>
  useProjectMutation(group, async (fileIds: string[]) => {
    for (const fileId of fileIds) {
      await answer(
        api.POST('/api/v1/pivat/{group}/projects/{id}/filelist/{fileId}/delete', {
          params: { path: { group, id, fileId } },
        }),
      );
    }
  });

/** Rescans the folder for files that were copied into it directly, for example by SFTP. */
export const useSyncFiles = (group: string, id: string) =>
  useProjectMutation(group, () =>
    answer(api.PUT('/api/v1/pivat/{group}/projects/{id}/filelist', { params: { path: { group, id } } })),
  );

/** Returns path and query that download one file, valid for a short time. */
export async function fileDownloadUrl(group: string, id: string): Promise<string> {
  const token = await answer(
    api.GET('/api/v1/pivat/{group}/project-files/{id}/generate-token', { params: { path: { group, id } } }),
  );
  return token.url;
}
