/** What decisions read of Jobs, pods and nodes; caches hold these cuts, not the whole objects. */

import { ATTEMPT_LABEL, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import type { Job, KubeNode, Pod, PodPhase } from '@seqpanel/crds/kube/core-types.ts';
import { controllerOf, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { findTrue, isTrue } from '@seqpanel/crds/resource-conditions.ts';
import { parseRanges, STEP_ENV } from '@seqpanel/crds/step-contract.ts';

export interface JobFacts {
  name: string;
  namespace: string;
  uid: string;
  /** Name of its task; empty for a check. */
  task: string;
  /** The object that owns it. */
  owner: { kind: string; name: string; uid: string } | undefined;
  step: string;
  attempt: number;
  /** Indexes into spec.samples, in the order of the completion indexes; empty for a task-scoped step. */
  samples: number[];
  samplesPerPod: number;
  completions: number;
  parallelism: number;
  /** Memory request of its pods, as written. */
  memory: string;
  hasTtl: boolean;
  /** A queue, or a person, holds it back. */
  suspended: boolean;
  deleting: boolean;
  created: string;
  completed: number[];
  failed: number[];
  /** Set when the Job has ended for good. */
  end?: { result: 'Complete' | 'Failed'; reason: string; message: string; at: string };
}

export interface PodFacts {
  name: string;
  namespace: string;
  uid: string;
  task: string;
  job: string;
  index: number;
  created: string;
  phase: PodPhase;
  /** Of the pod itself: DeadlineExceeded, Evicted. */
  reason?: string;
  node?: string;
  /** The kubelet accepted it; its time limit counts from then. */
  started?: string;
  /** The build of its image that it runs, as the node names it. */
  imageId?: string;
  deleting?: { since: string; graceSeconds: number };
  /** A DisruptionTarget condition is true: its end is not the step's fault. */
  disrupted: boolean;
  /** Why it cannot start, since when. */
  waiting?: { reason: string; message: string; since: string };
  ended?: { exitCode: number; reason: string; message: string; at: string };
  /** The end of its log, where it was asked for. */
  log?: string;
}

export function jobFacts(job: Stored<Job>): JobFacts {
  const { metadata, spec, status } = job;
  const container = spec?.template.spec.containers[0];
  const env = (name: string): string | undefined => container?.env?.find((entry) => entry.name === name)?.value;
  const end = findTrue(status?.conditions, 'Complete') ?? findTrue(status?.conditions, 'Failed');
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    task: metadata.labels?.[TASK_LABEL] ?? '',
    owner: controllerOf(job),
    step: metadata.labels?.[STEP_LABEL] ?? '',
    attempt: Number(metadata.labels?.[ATTEMPT_LABEL] ?? 1),
    samples: parseRanges(env(STEP_ENV.samples) ?? ''),
    samplesPerPod: Number(env(STEP_ENV.samplesPerPod) ?? 1),
    completions: spec?.completions ?? 1,
    parallelism: spec?.parallelism ?? 1,
    memory: container?.resources?.requests?.['memory'] ?? '',
    hasTtl: spec?.ttlSecondsAfterFinished !== undefined,
    suspended: spec?.suspend === true,
    deleting: metadata.deletionTimestamp !== undefined,
    created: metadata.creationTimestamp,
    completed: parseRanges(status?.completedIndexes ?? ''),
    failed: parseRanges(status?.failedIndexes ?? ''),
    ...(end && {
      end: {
        result: end.type as 'Complete' | 'Failed',
        reason: end.reason ?? '',
        message: end.message ?? '',
        at: end.lastTransitionTime ?? '',
      },
    }),
  };
}

export function podFacts(pod: Stored<Pod>): PodFacts {
  const { metadata, spec, status } = pod;
  const container = stepContainer(status);
  const terminated = container?.state?.terminated ?? container?.lastState?.terminated;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    task: metadata.labels?.[TASK_LABEL] ?? '',
    job: metadata.labels?.['batch.kubernetes.io/job-name'] ?? controllerOf(pod)?.name ?? '',
    index: Number(
      metadata.labels?.['batch.kubernetes.io/job-completion-index'] ??
        metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ??
        0,
    ),
    created: metadata.creationTimestamp,
    phase: status?.phase ?? 'Pending',
    ...(status?.reason && { reason: status.reason }),
    ...(spec?.nodeName && { node: spec.nodeName }),
    ...(status?.startTime && { started: status.startTime }),
    ...(container?.imageID && { imageId: container.imageID }),
    ...(metadata.deletionTimestamp && {
      deleting: {
        since: metadata.deletionTimestamp,
        graceSeconds: metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30,
      },
    }),
    disrupted: isTrue(status?.conditions, 'DisruptionTarget'),
    ...waitingOf(pod),
    ...(terminated && {
      ended: {
        exitCode: terminated.exitCode,
        reason: terminated.reason ?? '',
        message: terminated.message ?? '',
        at: terminated.finishedAt ?? '',
      },
    }),
  };
}

/** The step's own container: a service mesh may have put one of its own beside it, in any order. */
const stepContainer = (status: Pod['status']) =>
  status?.containerStatuses?.find(({ name }) => name === 'step') ?? status?.containerStatuses?.[0];

/** Reasons of a waiting container that say what is wrong. ContainerCreating is none of them. */
const WAITING = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
]);

function waitingOf({ metadata, spec, status }: Stored<Pod>): Pick<PodFacts, 'waiting'> {
  if (status?.phase !== 'Pending') return {};
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const since = scheduled?.lastTransitionTime ?? metadata.creationTimestamp;
  if (!spec?.nodeName)
    return {
      waiting: {
        reason: scheduled?.reason ?? 'Unschedulable',
        message: scheduled?.message ?? 'no scheduler has looked at it',
        since,
      },
    };
  const { reason = '', message = '' } = stepContainer(status)?.state?.waiting ?? {};
  if (!WAITING.has(reason)) {
    const still = `its node ${spec.nodeName} has not started it: it pulls the image or mounts the storage; kubectl describe pod says which`;
    return { waiting: { reason: 'NotStarted', message: still, since } };
  }
  // Pulling changes between ErrImagePull and ImagePullBackOff; one name keeps the story short.
  return { waiting: { reason: reason === 'ErrImagePull' ? 'ImagePullBackOff' : reason, message, since } };
}

/** True when the node says of itself, or the control plane of it, that it is not there. */
export const isNotReady = (node: KubeNode): boolean =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True';
