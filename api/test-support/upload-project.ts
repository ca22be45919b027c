/** A project of a new group, for uploads by its only member. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApi, TestUser } from './api.ts';
import { createUpload, type TusTarget } from './tus.ts';

export interface UploadProject extends TusTarget {
  user: TestUser;
  /** Folder of the project on storage. */
  folder: string;
  /** Returns the names in that folder. */
  filesOnStorage(): string[];
  /** Returns the project's files as the API lists them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  listed(): Promise<any[]>;
  /** Creates an upload and returns its path. */
  locationOf(name: string, size: number): Promise<string>;
}

export async function anUploadProject(api: TestApi): Promise<UploadProject> {
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  const projects = `/api/v1/pivat/${group}/projects`;
  const project = (await api.call('POST', projects, { token: user.token, body: { name: 'run1' } })).body.id;
  const folder = join(api.storageDir, 'projects', group, project);
  const target = { api, user, group, project };
  return {
    ...target,
    folder,
    filesOnStorage: () => (existsSync(folder) ? readdirSync(folder) : []),
    listed: async () => (await api.call('GET', `${projects}/${project}/filelist`, { token: user.token })).body.results,
    locationOf: async (name, size) => (await createUpload(target, name, size)).headers.get('location')!,
  };
}
