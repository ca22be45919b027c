/** Priority of a task's reconcile when many tasks wait. */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Priority } from '../kube/queue.ts';
import { isFinished } from './task-state.ts';

/**
 * Reconciles at a time. Tasks that are starting or finished run one at a time, so that a mass launch sends no more
 * requests than the API server handles and does not hold up running tasks.
 */
export const TASKS_AT_A_TIME = { concurrency: 16, laterConcurrency: 1 };

/** Running tasks and requests to end a task go before tasks that start or have ended. */
export function priorityOf(task: Stored<AnalysisTask> | undefined): Priority {
  const runs = task?.status?.started !== undefined && !isFinished(task.status.phase);
  return runs || task?.spec.abort || task?.metadata.deletionTimestamp !== undefined ? 'now' : 'later';
}
