/** Counts tasks that need someone to act, by reason, for the metric. */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import { findCondition, isTrue } from '../kube/conditions.ts';
import { isFinished } from './task-state.ts';

/** Reasons of Progressing=False that need no action. */
const TRANSIENT: readonly string[] = [REASON.aborting, REASON.pipelineUnchecked];

export function countStuck(tasks: readonly Pick<AnalysisTask, 'status'>[]): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (reason: string) => counts.set(reason, (counts.get(reason) ?? 0) + 1);
  for (const { status } of tasks) {
    if (isFinished(status?.phase)) continue;
    const progressing = findCondition(status?.conditions, CONDITION.progressing);
    if (progressing?.status === 'False' && !TRANSIENT.includes(progressing.reason)) count(progressing.reason);
    if (isTrue(status?.conditions, CONDITION.overdue)) count(REASON.queueWait);
  }
  return counts;
}
