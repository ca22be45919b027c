/** The comparable state of a Job and its pods: statuses without times, uids, versions and random names. */
import type { KubeObject } from '../../cluster/kube-http.ts';

export interface PodState {
  /** Completion index; absent for a Job that is not Indexed. */
  index?: number;
  phase: string;
  reason?: string;
  deleting?: true;
  /** Failures of this index before this pod, from the annotation job-index-failure-count. */
  failuresBefore?: number;
  exitCode?: number;
  terminated?: string;
  message?: string;
  /** Conditions other than what a kubelet reports of a healthy pod, as `type=status reason`. */
  conditions?: string[];
}

export interface JobState {
  /** `null` when the Job does not exist. */
  job: Record<string, unknown> | null;
  pods: PodState[];
}

/** Replaces the random suffixes of pod names, and namespaces, which differ between runs. */
function withoutNames(message: string): string {
  return message
    .replace(/\bcontract-[a-z0-9-]+\//g, '')
    .replace(/\b(job(?:-\d+)?)-[a-z0-9]{5}\b/g, '$1-*')
    .replace(/\d+(\.\d+)?ms/g, '*ms');
}

const HEALTHY = new Set(['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady']);
const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** Returns the comparable part of a Job's status. Drops zero counts, which Kubernetes treats like absent ones. */
export function jobStateOf(job: KubeObject | undefined): Record<string, unknown> | null {
  if (!job) return null;
  const status = job.status ?? {};
  const state: Record<string, unknown> = {
    ...(job.metadata.deletionTimestamp && { deleting: true, finalizers: job.metadata.finalizers ?? [] }),
    ...(job.spec.suspend && { suspend: true }),
    active: status.active,
    ready: status.ready,
    terminating: status.terminating,
    succeeded: status.succeeded,
    failed: status.failed,
    completedIndexes: status.completedIndexes,
    failedIndexes: status.failedIndexes,
    started: status.startTime !== undefined,
    ended: status.completionTime !== undefined || undefined,
    uncounted: isEmpty(status.uncountedTerminatedPods ?? {}) ? undefined : true,
    conditions: (status.conditions ?? []).map((c: KubeObject) =>
      [`${c.type}=${c.status}`, c.reason, c.message && withoutNames(c.message)].filter(Boolean).join(' | '),
    ),
  };
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined && value !== 0));
}

function podStateOf(pod: KubeObject): PodState {
  const annotations = pod.metadata.annotations ?? {};
  const index = annotations['batch.kubernetes.io/job-completion-index'];
  const failures = Number(annotations['batch.kubernetes.io/job-index-failure-count'] ?? 0);
  const terminated = pod.status?.containerStatuses?.[0]?.state?.terminated;
  const conditions = (pod.status?.conditions ?? [])
    .filter((c: KubeObject) => !HEALTHY.has(c.type) && !(c.type === 'PodScheduled' && c.status === 'True'))
    .map((c: KubeObject) => [`${c.type}=${c.status}`, c.reason].filter(Boolean).join(' '));
  return {
    ...(index !== undefined && { index: Number(index) }),
    phase: pod.status?.phase ?? 'Pending',
    ...(pod.status?.reason && { reason: pod.status.reason }),
    ...(pod.metadata.deletionTimestamp && { deleting: true as const }),
    ...(failures > 0 && { failuresBefore: failures }),
    ...(terminated && { exitCode: terminated.exitCode, terminated: terminated.reason }),
    ...(terminated?.message && { message: terminated.message }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** Returns the pods in an order that does not depend on their random names. */
export function podStatesOf(pods: readonly KubeObject[]): PodState[] {
  const key = (pod: PodState) => JSON.stringify([pod.index ?? -1, pod.failuresBefore ?? 0, pod.phase, pod]);
  return pods.map(podStateOf).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
