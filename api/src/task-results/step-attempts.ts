/** Writes task results, one row per step attempt, from the steps of a task's status. */

import type { AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import type { TaskResultTable } from '../db/tables/tasks.ts';

export type StepAttempt = Omit<TaskResultTable, 'id' | 'task_id'>;

/**
 * Returns the attempts in a status. A retried step keeps the reason that ended the previous attempt, so reason and
 * message belong to that one. The status has no details of earlier attempts.
 */
export function attemptsOf(status: AnalysisTaskStatus, now: Date): StepAttempt[] {
  return stepsOf(status).flatMap(({ step }) => (step.state === 'Pending' ? [] : attemptsOfStep(step, now)));
}

function attemptsOfStep(step: StepStatus, now: Date): StepAttempt[] {
  const last = step.attempt ?? 1;
  const again = last > 1 && step.state === 'Running';
  const why = { reason: step.reason ?? null, message: step.message ?? null };
  const nothing = { reason: null, message: null };
  const date = (text: string | undefined): Date | null => (text ? new Date(text) : null);
  const before = Array.from({ length: last - 1 }, (_, i) => ({
    step: step.name,
    attempt: i + 1,
    state: 'Failed' as const,
    ...(again && i + 2 === last ? why : nothing),
    job: null,
    started: i === 0 ? date(step.started) : null,
    finished: now,
  }));
  return [
    ...before,
    {
      step: step.name,
      attempt: last,
      state: step.state,
      ...(again ? nothing : why),
      job: step.job ?? null,
      // The status has the start of the first Job only. A later attempt starts when it is first seen.
      started: last === 1 ? date(step.started) : now,
      finished: date(step.finished),
    },
  ];
}

/** Keeps the recorded end of an attempt, and its start and Job as first seen. */
export async function writeStepAttempts(
  trx: Knex.Transaction,
  taskId: string,
  status: AnalysisTaskStatus,
  now: Date,
): Promise<void> {
  const rows = attemptsOf(status, now).map((attempt) => ({ task_id: taskId, ...attempt }));
  if (rows.length === 0) return;
  await trx('task_result')
    .insert(rows)
    .onConflict(['task_id', 'step', 'attempt'])
    .merge({
      state: trx.raw('excluded.state'),
      reason: trx.raw('excluded.reason'),
      message: trx.raw('excluded.message'),
      job: trx.raw('coalesce(excluded.job, task_result.job)'),
      started: trx.raw('coalesce(task_result.started, excluded.started)'),
      finished: trx.raw('excluded.finished'),
    })
    .whereRaw("task_result.state NOT IN ('Succeeded', 'Failed', 'Skipped', 'Aborted')");
}
