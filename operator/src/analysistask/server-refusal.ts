/** Handles the API server's rejection of a task's next Job. */

import { BadRequest, isForbidden, isInvalid } from '@seqpanel/crds/kube/errors.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { type Action, NameTaken } from '../jobs/act.ts';
import { sameJson } from '../kube/same-json.ts';
import { finish } from './finish.ts';
import type { Decision, Input } from './input.ts';
import { specName } from './names.ts';
import { setProgressing } from './task-conditions.ts';

/** Retry interval for Jobs that a quota or policy forbids, since it may be lifted, ms. */
const FORBIDDEN_AGAIN_MS = 30_000;

/**
 * Fails the task when the Job is invalid, and sets Progressing to False and retries when it is forbidden. Rethrows any
 * other error.
 */
export function refused(input: Input, error: unknown): Decision {
  const status = structuredClone(input.task.status ?? {});
  const message = `The API server rejected the next Job: ${(error as Error).message}`.slice(0, 1024);
  status.phase ??= 'Queued';
  if (isForbidden(error)) {
    setProgressing(input.task, status, 'False', REASON.jobForbidden, message, input.now);
    const revision = (status.revision ?? 0) + 1;
    const known = sameJson(status, input.task.status ?? {});
    const next = known ? status : { ...status, revision };
    return { before: [], status: next, after: [], requeueAfterMs: FORBIDDEN_AGAIN_MS };
  }
  if (!isInvalid(error) && !(error instanceof BadRequest) && !(error instanceof NameTaken)) throw error;
  finish(input, status, { phase: 'Failed', reason: REASON.jobRefused, message });
  const after: Action[] = [{ do: 'deleteConfigMap', name: specName(input.task.metadata.name) }];
  return { before: [], status: { ...status, revision: (status.revision ?? 0) + 1 }, after };
}
