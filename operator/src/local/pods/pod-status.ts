/** Pod status as a kubelet writes it; times are RFC 3339 text. */

import type { ContainerState, CoreCondition, Pod } from '@seqpanel/crds/kube/core-types.ts';

export type PodStatus = NonNullable<Pod['status']>;

export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

export function condition(at: string, type: string, is: boolean, reason?: string, message?: string): CoreCondition {
  return {
    type,
    status: is ? 'True' : 'False',
    lastTransitionTime: at,
    ...(reason && { reason }),
    ...(message && { message }),
  };
}

function container(pod: Pod, state: ContainerState, ready = false): Pick<PodStatus, 'containerStatuses'> {
  const { name, image } = pod.spec!.containers[0]!;
  const status = { name, image, imageID: '', restartCount: 0, ready, started: ready, state, lastState: {} };
  return { containerStatuses: [status] };
}

export const waitingStatus = (pod: Pod, startTime: string): PodStatus => ({
  startTime,
  ...container(pod, { waiting: { reason: 'ContainerCreating' } }),
});

export const runningStatus = (pod: Pod, startTime: string): PodStatus => ({
  phase: 'Running',
  startTime,
  conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'].map((type) =>
    condition(startTime, type, true),
  ),
  ...container(pod, { running: { startedAt: startTime } }, true),
});

export interface PodEnd {
  exitCode: number;
  reason: string;
  message?: string;
  startedAt: string;
  finishedAt: string;
  /** The pod exceeded its own deadline. */
  overdue: boolean;
}

export function endedStatus(pod: Pod, { overdue, ...terminated }: PodEnd): PodStatus {
  const failed = terminated.exitCode !== 0 || overdue;
  const reason = failed ? 'PodFailed' : 'PodCompleted';
  const at = terminated.finishedAt;
  return {
    phase: failed ? 'Failed' : 'Succeeded',
    startTime: terminated.startedAt,
    ...(overdue && {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    }),
    conditions: [
      condition(at, 'PodReadyToStartContainers', false),
      condition(at, 'Initialized', true, failed ? undefined : 'PodCompleted'),
      condition(at, 'Ready', false, reason),
      condition(at, 'ContainersReady', false, reason),
    ],
    ...container(pod, { terminated }),
  };
}

/** Status of a pod that was on the node when the runner stopped: its processes are gone through no fault of its own. */
export function lostStatus(pod: Pod, finishedAt: string): PodStatus {
  const message = 'The local control plane was restarted';
  const unknown = 'The container could not be located when the pod was terminated';
  return {
    phase: 'Failed',
    reason: 'Terminated',
    message,
    conditions: [
      condition(finishedAt, 'DisruptionTarget', true, 'TerminationByKubelet', message),
      condition(finishedAt, 'Ready', false, 'PodFailed'),
      condition(finishedAt, 'ContainersReady', false, 'PodFailed'),
    ],
    ...container(pod, {
      terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message: unknown, finishedAt },
    }),
  };
}

/** Merges a change into a status; each condition keeps the time of its last status change. */
export function mergeStatus(old: PodStatus | undefined, change: PodStatus): PodStatus {
  const conditions = [...(old?.conditions ?? [])];
  for (const one of change.conditions ?? []) {
    const i = conditions.findIndex(({ type }) => type === one.type);
    const before = conditions[i];
    const since = before?.status === one.status ? before.lastTransitionTime : one.lastTransitionTime;
    conditions.splice(i < 0 ? conditions.length : i, 1, { ...one, lastTransitionTime: since! });
  }
  return { ...old, ...change, conditions };
}
