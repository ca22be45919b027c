/** Autoscale workers of the admin area. */

import type { Deps, Feature } from '../feature.ts';
import { answerList } from '../http/answer-list.ts';
import { listPools, listWorkers } from './worker-rows.ts';

export function createWorkers({ db, now }: Deps): Feature {
  return {
    name: 'workers',
    routes: {
      listWorkers: { role: 'staff', handle: ({ res, query }) => answerList(db, res, query, listWorkers) },
      listWorkerPools: { role: 'staff', handle: () => listPools(db, now()) },
    },
  };
}
