/** Results of the steps of a task, and of all tasks for the admin area. */

import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { readTask } from '../tasks/task-detail.ts';
import { readResultDetail, readStepResults } from './result-detail.ts';
import { listResultRows } from './result-rows.ts';

export function createTaskResults({ db, config }: Deps): Feature {
  return {
    name: 'task-results',
    routes: {
      listTaskResults: {
        role: 'group-member',
        handle: async ({ group, params }) => {
          const task = await readTask(db, group.id, params.id);
          return { results: await readStepResults(db, config.storageDir, task.id) };
        },
      },
      listAllTaskResults: { role: 'staff', handle: ({ res, query }) => answerList(db, res, query, listResultRows) },
      getAnyTaskResult: {
        role: 'staff',
        handle: ({ params, query }) => readResultDetail(db, config.storageDir, params.id, query.sample),
      },
    },
  };
}
