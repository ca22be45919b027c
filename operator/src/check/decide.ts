/** Decides the next actions for a checked resource. Pure: the same input gives the same decision. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { MEMORY_DOUBLINGS_MAX } from '../jobs/memory-doublings.ts';
import { causeOf, isOutOfMemory, newestFirst, parseTermination } from '../jobs/termination.ts';
import { findWaiting } from '../jobs/waiting.ts';
import { type ConditionUpdate, findCondition, withCondition } from '../kube/conditions.ts';
import { buildCheck, checkJobName, contentHash } from './check-job.ts';
import {
  CHECK_REASON,
  type Checked,
  type CheckedStatus,
  type CheckKind,
  type CheckSettings,
  READY,
  VALID,
} from './check-kind.ts';
import { findDuplicate } from './duplicate.ts';
import { misnamed } from './misnamed.ts';

export interface CheckInput<T extends Checked> {
  kind: CheckKind<T>;
  object: Stored<T>;
  /** All resources of the kind, this one included. */
  all: readonly Stored<T>[];
  /** Jobs that the resource owns. */
  jobs: readonly JobFacts[];
  /** Pods of these Jobs. */
  pods: readonly PodFacts[];
  pools: readonly Stored<WorkerPool>[];
  now: number;
  settings: CheckSettings;
}

export interface CheckDecision {
  before: Action[];
  status: CheckedStatus;
  after: Action[];
  requeueAfterMs?: number;
}

interface Verdict {
  valid: Omit<ConditionUpdate, 'type'>;
  /** Status fields besides the conditions. */
  more?: object;
  before?: Action[];
  /** The check has ended and its Job may be deleted. */
  over?: boolean;
  requeueAfterMs?: number;
}

/** Clears the recorded result. */
const UNCHECKED = { checkedSha256: undefined };

export function decideCheck<T extends Checked>(input: CheckInput<T>): CheckDecision {
  const { kind, object, jobs, now, settings } = input;
  const old: CheckedStatus = object.status ?? {};
  if (object.metadata.deletionTimestamp) return { before: [], status: old, after: [] };

  const verdict = judge(input);
  const status = withVerdict(kind, object, verdict, now);

  const current = status.checkJob;
  const after = jobs
    .filter((job) => !job.deleting && (job.name !== current || verdict.over))
    .flatMap<Action>((job) => {
      if (!job.end) return [{ do: 'deleteJob', job }];
      return job.hasTtl ? [] : [{ do: 'expireJob', job, seconds: settings.jobTtlSeconds }];
    });
  return {
    before: verdict.before ?? [],
    status,
    after,
    ...(verdict.requeueAfterMs !== undefined && { requeueAfterMs: verdict.requeueAfterMs }),
  };
}

/** Returns the status for a check that the API server rejects. */
export const refusedStatus = <T extends Checked>(
  kind: CheckKind<T>,
  object: Stored<T>,
  message: string,
  now: number,
): CheckedStatus =>
  withVerdict(kind, object, { valid: { status: 'Unknown', reason: CHECK_REASON.refused, message } }, now);

function withVerdict<T extends Checked>(
  kind: CheckKind<T>,
  object: Stored<T>,
  verdict: Verdict,
  now: number,
): CheckedStatus {
  const { generation } = object.metadata;
  const old: CheckedStatus = object.status ?? {};
  const valid: ConditionUpdate = { type: VALID, ...verdict.valid };
  const status: CheckedStatus = { ...old, ...verdict.more };
  if (generation !== undefined) status.observedGeneration = generation;
  status.conditions = withCondition(old.conditions, valid, now, generation);
  const ready = kind.ready({ ...object, status }, valid);
  status.conditions = withCondition(status.conditions, { type: READY, ...ready }, now, generation);
  return status;
}

function judge<T extends Checked>(input: CheckInput<T>): Verdict {
  const { kind, object, all, jobs, pods, pools, now, settings } = input;
  const refusal = findDuplicate(object, all) ?? misnamed(object) ?? kind.refuse?.(object, settings);
  if (refusal) return { valid: { status: 'False', ...refusal }, more: UNCHECKED, over: true };

  const hash = contentHash(kind, object);
  const recorded = findCondition(object.status?.conditions, VALID);
  let doubled = doublings(kind, object);
  let job = jobs.find(({ name }) => name === checkJobName(kind, object, doubled));
  if (object.status?.checkedSha256 === hash && recorded) {
    const { status, reason, message } = recorded;
    const known: Verdict = { valid: { status, reason, message }, over: true };
    if (reason !== CHECK_REASON.error) return known;
    const left = Date.parse(recorded.lastTransitionTime) + settings.repeatMs - now;
    if (left > 0 || job) return { ...known, requeueAfterMs: Math.max(left, 10_000) };
  }
  if (job?.end) {
    const { name } = job;
    const starved = job.end.result === 'Failed' && pods.some((pod) => pod.job === name && isOutOfMemory(pod));
    if (!starved || doubled >= settings.memoryDoublings) return ended(kind, job, pods, hash);
    doubled++;
    job = jobs.find((candidate) => candidate.name === checkJobName(kind, object, doubled));
  }
  const name = checkJobName(kind, object, doubled);
  const more = { ...UNCHECKED, checkJob: name };
  const checking = { reason: CHECK_REASON.checking as string, message: `Job ${name} is checking the resource.` };
  if (job) {
    const mine = pods.filter((pod) => pod.job === name);
    const { stuck = checking, requeueAfterMs } = findWaiting(job, mine, { now, settings });
    return {
      valid: { status: 'Unknown', ...stuck },
      more,
      ...(requeueAfterMs !== undefined && { requeueAfterMs }),
    };
  }
  const { configMap, job: wanted } = buildCheck(kind, object, doubled, pools, settings);
  return {
    valid: { status: 'Unknown', ...checking },
    more,
    before: [
      { do: 'createConfigMap', object: configMap },
      { do: 'createJob', object: wanted },
    ],
  };
}

/** Returns how often the memory was doubled for the current content, from the name of the last Job. */
function doublings<T extends Checked>(kind: CheckKind<T>, object: Stored<T>): number {
  for (let n = 1; n <= MEMORY_DOUBLINGS_MAX; n++)
    if (object.status?.checkJob === checkJobName(kind, object, n)) return n;
  return 0;
}

function ended<T extends Checked>(kind: CheckKind<T>, job: JobFacts, pods: readonly PodFacts[], hash: string): Verdict {
  const mine = newestFirst(pods.filter((pod) => pod.job === job.name));
  if (job.end?.result === 'Complete') {
    const pod = mine.find(({ phase }) => phase === 'Succeeded');
    const termination = pod?.ended && parseTermination(pod.ended.message);
    const more = termination ? kind.accept?.(termination as unknown as Record<string, unknown>) : {};
    const message = termination?.message ?? kind.validMessage;
    return {
      valid: { status: 'True', reason: CHECK_REASON.checked, message },
      more: { ...more, checkedSha256: hash },
      over: true,
    };
  }
  const pod = mine.find(({ phase, disrupted }) => phase === 'Failed' && !disrupted);
  const { code, message } = causeOf(pod);
  const termination = pod?.ended && parseTermination(pod.ended.message);
  const valid =
    termination?.outcome === 'bad_input'
      ? { status: 'False' as const, reason: pascalCase(code), message }
      : { status: 'Unknown' as const, reason: CHECK_REASON.error, message };
  return { valid, more: { checkedSha256: hash }, over: true };
}

/** `panel_invalid` as the reason `PanelInvalid`. */
const pascalCase = (code: string): string =>
  code.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()).slice(0, 64);
