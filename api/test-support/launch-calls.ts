/** Launches and reruns tasks through the API as the user of a laboratory. */
import type { Answer, TestApi, TestUser } from './api.ts';

interface Caller {
  group: string;
  user: TestUser;
}

export const launchTask = (
  api: TestApi,
  { group, user }: Caller,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  api.call('POST', `/api/v1/pivat/${group}/analysis/launch-task/`, { token: user.token, body, headers });

export const rerunTask = (api: TestApi, { group, user }: Caller, id: string, body?: unknown): Promise<Answer> =>
  api.call('POST', `/api/v1/pivat/${group}/task-rerun/${id}/`, {
    token: user.token,
    ...(body !== undefined && { body }),
  });

export const countTasks = async (api: TestApi): Promise<number> =>
  Number((await api.deps.db('task').count({ n: '*' }).first())!.n);
