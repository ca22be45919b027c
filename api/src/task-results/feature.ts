/** Task results of the admin area. */

import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { readResultDetail } from './result-detail.ts';
import { listResultRows } from './result-rows.ts';

export function createTaskResults({ db, config }: Deps): Feature {
  return {
    name: 'task-results',
    routes: {
      listAllTaskResults: { role: 'staff', handle: ({ res, query }) => answerList(db, res, query, listResultRows) },
      getAnyTaskResult: {
        role: 'staff',
        handle: ({ params, query }) => readResultDetail(db, config.storageDir, params.id, query.sample),
      },
    },
  };
}
