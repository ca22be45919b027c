/** Decides the next actions for a task. Pure: the same input gives the same decision. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { timestamp } from '../kube/conditions.ts';
import { abort, deleteOpen } from './abort.ts';
import { awaitAdmission } from './await-admission.ts';
import { cleanUp, nextExpiry } from './cleanup.ts';
import { decideStep } from './decide-step.ts';
import { afterEnd, completed, finish, isRestored, restored } from './finish.ts';
import type { Decision, Input } from './input.ts';
import { specName } from './names.ts';
import { paced } from './pacing.ts';
import { updateOverdue } from './queue-wait.ts';
import { refuse } from './refuse.ts';
import { setProgressing } from './task-conditions.ts';
import { emptyStages, isFinished, openStep, stageState, stepOf } from './task-state.ts';

export function decide(input: Input): Decision {
  const old = input.task.status ?? {};
  // Jobs are garbage collected with the task. Deleting them here stops work also while a finalizer keeps the task.
  if (input.task.metadata.deletionTimestamp) return { before: [], status: old, after: deleteOpen(input) };
  const decision = decideStatus(input, structuredClone(old));
  if (old.stages && isFinished(decision.status.phase) && !isFinished(old.phase))
    decision.after.push({ do: 'deleteConfigMap', name: specName(input.task.metadata.name) });
  const overdueMs = updateOverdue(input, decision.status);
  const again = Math.min(
    ...[decision.requeueAfterMs, nextExpiry(input, decision.status), overdueMs].map((ms) => ms ?? Infinity),
  );
  if (Number.isFinite(again)) decision.requeueAfterMs = again;
  return paced(input, old, decision);
}

function decideStatus(input: Input, status: AnalysisTaskStatus): Decision {
  const { task, pipeline, now } = input;
  if (isFinished(status.phase)) return afterEnd(input, status);

  status.phase ??= 'Queued';
  status.samples ??= { total: task.spec.samples.length, incomplete: 0 };
  if (isRestored(task)) {
    finish(input, status, restored);
    return afterEnd({ ...input, task: { ...task, status } }, status);
  }
  if (task.spec.abort) return abort(input, status);

  const refusal = refuse(input, status);
  if (refusal?.wait) {
    setProgressing(task, status, 'False', refusal.reason, refusal.message, now);
    return { before: [], status, after: cleanUp(input, status) };
  }
  if (refusal || !pipeline) {
    const { reason, message } = refusal ?? { reason: REASON.pipelineMissing, message: '' };
    finish(input, status, { phase: 'Failed', reason, message });
    return { before: [], status, after: cleanUp(input, status) };
  }
  if (!status.stages) {
    const waiting = awaitAdmission(input, status);
    if (waiting) return waiting;
  }
  status.stages ??= emptyStages(pipeline);
  if (input.pods.some(({ phase }) => phase !== 'Pending')) status.phase = 'Running';

  for (;;) {
    const open = openStep(status);
    if (!open) {
      finish(input, status, completed(status));
      return { before: [], status, after: cleanUp(input, status) };
    }
    const definition = stepOf(pipeline, open.stage.name, open.step.name);
    if (!definition) {
      const message = `Pipeline ${task.spec.pipeline.name} no longer has step ${open.step.name}.`;
      finish(input, status, { phase: 'Failed', reason: REASON.pipelineInvalid, message });
      return { before: [], status, after: cleanUp(input, status) };
    }
    const decision = decideStep({ input, status, ...open, pipeline, definition });
    if (decision) return { ...decision, after: [...cleanUp(input, status), ...decision.after] };
    open.stage.state = stageState(open.stage.steps ?? []);
    if (open.stage.state !== 'Running') open.stage.finished = timestamp(now);
  }
}
