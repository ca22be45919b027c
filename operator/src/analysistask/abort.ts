/** Aborts a task: deletes its Jobs, and sets it Aborted only when no pod of it runs. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import type { Action } from '../jobs/act.ts';
import { lostPods } from './disruptions.ts';
import { finish } from './finish.ts';
import { findHanging } from './hanging.ts';
import type { Decision, Input } from './input.ts';
import { setProgressing } from './task-conditions.ts';

/** The cache may report a deleted pod late, and looking again is cheap. */
const RECHECK_MS = 5_000;

export function abort(input: Input, status: AnalysisTaskStatus): Decision {
  const { task, pods, now } = input;
  const open = deleteOpen(input);
  const live = pods.filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed');
  if (open.length === 0 && live.length === 0) {
    const message = 'The task was aborted.';
    finish(input, status, { phase: 'Aborted', reason: REASON.aborted, message });
    return { before: [], status, after: [] };
  }
  const { reason, message } = findHanging(input, live).stuck ?? {
    reason: REASON.aborting,
    message: 'Aborting the task; waiting for its pods to end.',
  };
  setProgressing(task, status, 'False', reason, message, now);
  const lost = lostPods(input);
  return { before: [], status, after: [...open, ...lost.actions], requeueAfterMs: RECHECK_MS };
}

/** Skips Jobs that are already being deleted: they create no pods, and a finalizer may keep them indefinitely. */
export const deleteOpen = ({ jobs }: Input): Action[] =>
  jobs.filter(({ end, deleting }) => !end && !deleting).map((job) => ({ do: 'deleteJob', job }));
