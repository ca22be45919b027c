/** Abort: Jobs are deleted, and the task is Aborted only when no pod of it is left running. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { Action } from '../jobs/act.ts';
import { REASON, setProgressing } from './conditions.ts';
import { lostPods } from './disruptions.ts';
import { finish } from './finish.ts';
import { findHanging } from './hanging.ts';
import type { Decision, Input } from './input.ts';

/** Pods may be seen gone late; looking again costs nothing. */
const LOOK_AGAIN_MS = 5_000;

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
    message: 'The task is being aborted; its pods are ending.',
  };
  setProgressing(task, status, 'False', reason, message, now);
  const lost = lostPods(input);
  return { before: [], status, after: [...open, ...lost.actions], requeueAfterMs: LOOK_AGAIN_MS };
}

/** Nothing is done about a Job that is being deleted: it makes no pod any more, and a finalizer may keep it for ever. */
export const deleteOpen = ({ jobs }: Input): Action[] =>
  jobs.filter(({ end, deleting }) => !end && !deleting).map((job) => ({ do: 'deleteJob', job }));
