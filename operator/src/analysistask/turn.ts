/** Whose round goes first when many tasks wait for one. */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Turn } from '../kube/queue.ts';
import { isFinished } from './plan.ts';

/**
 * Tasks that are worked on at a time. Such as are only to be started or tidied up come one by one: however many are
 * launched at once, no more are started than the API server answers soon, and those that run are not held up.
 */
export const TASKS_AT_A_TIME = { concurrency: 16, laterConcurrency: 1 };

/** Tasks that run, and people's wish to end one, go before tasks that start and tasks that have ended. */
export function turnOf(task: Stored<AnalysisTask> | undefined): Turn {
  const runs = task?.status?.started !== undefined && !isFinished(task.status.phase);
  return runs || task?.spec.abort || task?.metadata.deletionTimestamp !== undefined ? 'now' : 'later';
}
