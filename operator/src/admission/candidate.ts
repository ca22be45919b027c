/** An unfinished task as admission sees it, read from the caches alone. */

import type { AnalysisTask, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findCondition } from '../kube/conditions.ts';

export interface Candidate {
  /** namespace/name of the task. */
  key: string;
  group: string;
  uid: string;
  created: string;
  /** A started task keeps at least one pod until it ends. */
  started: boolean;
  /** The task is being aborted or deleted: its pods still count, but it gets no new ones. */
  ending: boolean;
  /** Pods that the task can use now; at least 1. */
  wants: number;
  /** Name of the open Job. */
  job?: string;
  /** Pods that the open Job may still run; 0 without an open Job. */
  allowed: number;
  /** Pods of the task that are not being deleted. */
  active: number;
  /** Active pods that would lose work if they ended now. */
  settled: number;
  /** Pods of the task that are being deleted and still use their resources. */
  leaving: number;
}

export interface CandidateFacts {
  key: string;
  task: Stored<AnalysisTask>;
  /** The task's own Jobs. */
  jobs: readonly JobFacts[];
  podsOf: (job: JobFacts) => readonly PodFacts[];
  pipeline: Pipeline | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Age below which a pod loses no work when it ends. The Job controller may replace an ended pod before it learns that
 * another task gets its place; creation times have a resolution of one second.
 */
const YOUNG_MS = 3_000;

/** Returns undefined for a task that cannot start at all, so that it does not hold up the tasks behind it. */
export function candidateOf({ key, task, jobs, podsOf, pipeline, now }: CandidateFacts): Candidate | undefined {
  const { metadata, spec, status } = task;
  const started = status?.started !== undefined || jobs.length > 0;
  const ending = spec.abort === true || metadata.deletionTimestamp !== undefined;
  const hindrance = started ? undefined : findCondition(status?.conditions, CONDITION.progressing);
  const hindered = hindrance?.status === 'False';
  if (!started && (ending || (hindered && hindrance.reason !== REASON.jobForbidden))) return undefined;
  const open = jobs.find(({ end, deleting }) => !end && !deleting);
  const left = open ? Math.max(1, open.completions - open.completed.length - open.failed.length) : 0;
  const live = jobs.flatMap((job) => podsOf(job).filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed'));
  const active = live.filter(({ deleting }) => !deleting);
  return {
    key,
    group: spec.group,
    uid: metadata.uid,
    created: metadata.creationTimestamp,
    started,
    ending,
    // A task whose Job a policy forbids retries periodically; meanwhile it reserves one pod, not its whole share.
    wants: started ? Math.max(1, left) : hindered ? 1 : firstPods(task, pipeline),
    ...(open && { job: open.name }),
    allowed: open && !open.suspended ? Math.min(open.parallelism, left) : 0,
    active: active.length,
    settled: active.filter(({ phase, created }) => phase !== 'Pending' && now - Date.parse(created) > YOUNG_MS).length,
    leaving: live.length - active.length,
  };
}

/** Pods of the first step. */
function firstPods({ spec }: AnalysisTask, pipeline: Pipeline | undefined): number {
  const first = pipeline?.spec.stages[0]?.steps[0];
  return first?.scope === 'task' ? 1 : Math.max(1, Math.ceil(spec.samples.length / (first?.samplesPerPod ?? 1)));
}
