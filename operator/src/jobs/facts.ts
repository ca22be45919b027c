/** The parts of Jobs, pods and nodes that decisions read. Caches hold these instead of whole objects. */

import { ATTEMPT_LABEL, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import type { Job, KubeNode, Pod, PodPhase } from '@seqpanel/crds/kube/core-types.ts';
import { controllerOf, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { findTrue, isTrue } from '@seqpanel/crds/resource-conditions.ts';
import { parseRanges, STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { CONTAINER_REASONS } from '@seqpanel/crds/task-reasons.ts';

export interface JobFacts {
  name: string;
  namespace: string;
  uid: string;
  /** Name of the task; empty for a check. */
  task: string;
  /** The controlling owner. */
  owner: { kind: string; name: string; uid: string } | undefined;
  step: string;
  attempt: number;
  /** Indexes into spec.samples, in the order of the completion indexes; empty for a task-scoped step. */
  samples: number[];
  samplesPerPod: number;
  completions: number;
  parallelism: number;
  /** Memory request of its pods, as a quantity. */
  memory: string;
  hasTtl: boolean;
  /** A queue or a person has suspended the Job. */
  suspended: boolean;
  deleting: boolean;
  created: string;
  completed: number[];
  failed: number[];
  /** Set when the Job has ended. */
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
  /** Reason of the pod itself, such as DeadlineExceeded or Evicted. */
  reason?: string;
  node?: string;
  /** When the kubelet accepted the pod; its time limit counts from then. */
  started?: string;
  /** Digest of the running image, as the node reports it. */
  imageId?: string;
  deleting?: { since: string; graceSeconds: number };
  /** The condition DisruptionTarget is True: the failure is not the step's. */
  disrupted: boolean;
  /** Why the pod cannot start, and since when. */
  waiting?: { reason: string; message: string; since: string };
  ended?: { exitCode: number; reason: string; message: string; at: string };
  /** The last lines of its log, where they were read. */
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

/** The step's own container; a service mesh may add others in any order. */
const stepContainer = (status: Pod['status']) =>
  status?.containerStatuses?.find(({ name }) => name === 'step') ?? status?.containerStatuses?.[0];

/** Waiting reasons that name a problem, unlike ContainerCreating. */
const WAITING: ReadonlySet<string> = new Set(CONTAINER_REASONS);

function waitingOf({ metadata, spec, status }: Stored<Pod>): Pick<PodFacts, 'waiting'> {
  if (status?.phase !== 'Pending') return {};
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const since = scheduled?.lastTransitionTime ?? metadata.creationTimestamp;
  if (!spec?.nodeName)
    return {
      waiting: {
        reason: scheduled?.reason ?? 'Unschedulable',
        message: scheduled?.message ?? 'no scheduler has processed it',
        since,
      },
    };
  const { reason = '', message = '' } = stepContainer(status)?.state?.waiting ?? {};
  if (!WAITING.has(reason)) {
    const message = `node ${spec.nodeName} is still pulling the image or mounting the storage; see kubectl describe pod`;
    return { waiting: { reason: 'NotStarted', message, since } };
  }
  // The reason alternates between ErrImagePull and ImagePullBackOff; one name avoids repeated events.
  return { waiting: { reason: reason === 'ErrImagePull' ? 'ImagePullBackOff' : reason, message, since } };
}

/** Reports whether the node's condition Ready is not True. */
export const isNotReady = (node: KubeNode): boolean =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True';
