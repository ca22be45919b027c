/**
 * Decides the next actions of the Job controller: a pure port of syncJob of kube-controller-manager 1.34. One difference:
 * pods are counted and released in one transaction, so status.uncountedTerminatedPods stays empty.
 */

import type { CoreCondition } from '@seqpanel/crds/kube/core-types.ts';
import { formatRanges } from '@seqpanel/crds/step-contract.ts';
import { timestamp } from '../objects/metadata.ts';
import {
  conditionOf,
  hasFinalizer,
  isFinished,
  isReady,
  type JobDecision,
  type JobInput,
  type JobStatus,
  phase,
  Sync,
} from './job-sync.ts';
import { matchPodFailurePolicy } from './pod-failure-policy.ts';

/** Formats ranges as Kubernetes does: three or more in a row are a range, two are not. */
const intervals = (indexes: Set<number>): string =>
  formatRanges([...indexes]).replace(/(\d+)-(\d+)/g, (range, from, to) =>
    Number(to) - Number(from) === 1 ? `${from},${to}` : range,
  );

/** Runs one sync of the Job. A finished Job only releases its pods. */
export function decideJob(input: JobInput): JobDecision {
  const sync = new Sync(input);
  const { job, spec, pods, out, now } = sync;
  if (isFinished(job)) return { ...out, release: pods.filter(hasFinalizer) };
  const before = job.status ?? {};
  const status: JobStatus & Record<string, unknown> = { ...before, conditions: [...(before.conditions ?? [])] };
  if (!status.startTime && !spec.suspend) status.startTime = timestamp(now);

  const failedNow = sync.uncounted.filter((pod) => sync.isFailed(pod));
  const succeededNow = sync.uncounted.filter((pod) => phase(pod) === 'Succeeded');
  const succeeded = sync.indexed ? sync.succeededIndexes.size : (before.succeeded ?? 0) + succeededNow.length;
  const failed = (before.failed ?? 0) + failedNow.filter((pod) => matchPodFailurePolicy(job, pod).counted).length;

  const met = conditionOf(before, 'SuccessCriteriaMet');
  let end = met ?? conditionOf(before, 'FailureTarget') ?? sync.failure(succeeded, failed);
  let active = sync.active.length;
  if (end) {
    sync.deletePods(sync.active);
    active = 0;
  } else {
    if (!job.metadata.deletionTimestamp) active = sync.manage(succeeded);
    const done = spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
    if (done && active === 0)
      end = sync.condition('SuccessCriteriaMet', 'CompletionsReached', 'Reached expected number of succeeded pods');
    else if (!job.metadata.deletionTimestamp) setSuspended(sync, status);
  }
  status.active = active;
  status.ready = sync.active.filter((pod) => !out.delete.includes(pod) && isReady(pod)).length;
  status.terminating = sync.terminating;
  count(sync, status, end);
  if (end && !conditionOf(status, end.type)) status.conditions!.push(end);
  if (status.active === 0) delete status.active;
  if (status.conditions!.length === 0) delete status.conditions;
  status['uncountedTerminatedPods'] = {};
  out.statuses.push(status);
  if (end && sync.terminating === 0) out.statuses.push(finish(sync, status, end));
  return out;
}

function setSuspended(sync: Sync, status: JobStatus): void {
  const known = status.conditions!.findIndex(({ type }) => type === 'Suspended');
  const suspended = sync.spec.suspend === true;
  const is = known >= 0 && status.conditions![known]!.status === 'True';
  if (is === suspended) return;
  const condition = suspended
    ? sync.condition('Suspended', 'JobSuspended', 'Job suspended')
    : sync.condition('Suspended', 'JobResumed', 'Job resumed', 'False');
  if (known >= 0) status.conditions![known] = condition;
  else status.conditions!.push(condition);
  sync.out.events.push({ type: 'Normal', reason: suspended ? 'Suspended' : 'Resumed', message: condition.message! });
  // Resuming a Job restarts its deadline.
  if (!suspended) status.startTime = timestamp(sync.now);
}

/** Counts the pods that ended and releases them. */
function count(sync: Sync, status: JobStatus, end: CoreCondition | undefined): void {
  const { job, out, indexed } = sync;
  const awaiting = new Set(sync.awaiting.values());
  for (const pod of sync.pods) {
    if (!hasFinalizer(pod)) continue;
    const failed = sync.isFailed(pod);
    const removable =
      job.metadata.deletionTimestamp || end || phase(pod) === 'Succeeded' || (failed && !awaiting.has(pod));
    // The index gets its replacement now, so no pod waits for one any more.
    const replaced = failed && out.create.some(({ index }) => index !== undefined && index === sync.index(pod));
    if (!removable && !replaced) continue;
    out.release.push(pod);
    if (indexed && sync.index(pod) === undefined) continue;
    if (phase(pod) === 'Succeeded') {
      if (!indexed) status.succeeded = (status.succeeded ?? 0) + 1;
    } else if ((failed || (end && end.type !== 'SuccessCriteriaMet')) && matchPodFailurePolicy(job, pod).counted) {
      status.failed = (status.failed ?? 0) + 1;
    }
  }
  if (indexed) {
    if (sync.succeededIndexes.size > 0) {
      status.succeeded = sync.succeededIndexes.size;
      status.completedIndexes = intervals(sync.succeededIndexes);
    }
    if (sync.perIndex) status.failedIndexes = intervals(sync.failedIndexes);
  }
}

function finish(sync: Sync, status: JobStatus, end: CoreCondition): JobStatus {
  const complete = end.type === 'SuccessCriteriaMet';
  const last = sync.condition(complete ? 'Complete' : 'Failed', end.reason!, end.message!);
  sync.out.events.push(
    complete
      ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
      : { type: 'Warning', reason: end.reason!, message: end.message! },
  );
  return {
    ...status,
    conditions: [...status.conditions!, last],
    ...(complete && { completionTime: last.lastTransitionTime! }),
  };
}
