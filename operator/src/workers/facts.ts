/** The parts of pods, nodes and machines that worker decisions read. Caches hold these instead of whole objects. */

import { QUEUE_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import type { KubeNode, Pod, PodPhase } from '@seqpanel/crds/kube/core-types.ts';
import { controllerOf, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { isTrue } from '@seqpanel/crds/resource-conditions.ts';
import { isNotReady } from '../jobs/facts.ts';
import { type Amounts, allocatableOf, requestsOf } from './amounts.ts';

export interface WorkerPod {
  /** namespace/name. */
  key: string;
  namespace: string;
  /** Empty for pods of others. */
  queue: string;
  task: string;
  job: string;
  node?: string;
  created: string;
  phase: PodPhase;
  disrupted: boolean;
  deleting: boolean;
  /** The pod stays with its node: it belongs to a DaemonSet or mirrors a file on the node. */
  daemon: boolean;
  /** The pod has scheduling gates. */
  gated: boolean;
  /** The scheduler's message. */
  unschedulable?: string;
  requests: Amounts;
}

export interface WorkerNode {
  name: string;
  labels: Record<string, string>;
  ready: boolean;
  cordoned: boolean;
  deleting: boolean;
  /** namespace/name of the pool that cordoned the node; absent for an administrator's cordon, which is left alone. */
  cordonedBy?: string;
  cordonedAt?: string;
  /** When the target's number was lowered for this node. */
  removingAt?: string;
  allocatable: Amounts;
  providerId?: string;
  created: string;
  address?: string;
}

/** A machine of a target that lists its machines. */
export interface Machine {
  name: string;
  node?: string;
  created: string;
  deleting: boolean;
  /** When it was selected to be removed next. */
  markedAt?: string;
  phase?: string;
  providerId?: string;
  address?: string;
}

/** Annotation of a node that a pool cordoned; removed with the cordon. */
export const CORDONED_BY = 'seqpanel.dev/cordoned-by';
export const CORDONED_AT = 'seqpanel.dev/cordoned-at';
export const REMOVING_AT = 'seqpanel.dev/removing-at';

const MIRROR = 'kubernetes.io/config.mirror';

export function workerPod(pod: Stored<Pod>): WorkerPod {
  const { metadata, spec, status } = pod;
  const owner = controllerOf(pod);
  const conditions = status?.conditions ?? [];
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    namespace: metadata.namespace ?? '',
    queue: metadata.labels?.[QUEUE_LABEL] ?? '',
    task: metadata.labels?.[TASK_LABEL] ?? '',
    job: metadata.labels?.['batch.kubernetes.io/job-name'] ?? '',
    ...(spec?.nodeName && { node: spec.nodeName }),
    created: metadata.creationTimestamp,
    phase: status?.phase ?? 'Pending',
    disrupted: isTrue(conditions, 'DisruptionTarget'),
    deleting: metadata.deletionTimestamp !== undefined,
    daemon: owner?.kind === 'DaemonSet' || owner?.kind === 'Node' || metadata.annotations?.[MIRROR] !== undefined,
    gated: (spec?.schedulingGates ?? []).length > 0,
    ...(scheduled?.status === 'False' &&
      scheduled.reason === 'Unschedulable' && { unschedulable: scheduled.message ?? '' }),
    requests: requestsOf(spec),
  };
}

export function workerNode(node: Stored<KubeNode>): WorkerNode {
  const { metadata, spec, status } = node;
  const annotations = metadata.annotations ?? {};
  const addressOf = (wanted: string) => status?.addresses?.find(({ type }) => type === wanted);
  // Other address types are host names, which may be too long.
  const address = addressOf('InternalIP') ?? addressOf('ExternalIP');
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    ready: !isNotReady(node),
    cordoned: spec?.unschedulable === true,
    deleting: metadata.deletionTimestamp !== undefined,
    ...(annotations[CORDONED_BY] && { cordonedBy: annotations[CORDONED_BY] }),
    ...(annotations[CORDONED_AT] && { cordonedAt: annotations[CORDONED_AT] }),
    ...(annotations[REMOVING_AT] && { removingAt: annotations[REMOVING_AT] }),
    allocatable: allocatableOf(status?.allocatable ?? {}),
    ...(spec?.providerID && { providerId: spec.providerID }),
    created: metadata.creationTimestamp,
    ...(address && { address: address.address }),
  };
}

export const isOver = ({ phase }: Pick<WorkerPod, 'phase'>): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Whether the result of an ended pod's Job is recorded. */
export interface JobRecord {
  samples: number[];
  samplesPerPod: number;
  /** The owner's status contains the result. */
  recorded: boolean;
}

/**
 * Reports whether the operator may still need an ended stage pod. The pod garbage collector removes the pods of deleted
 * nodes, and with them why a sample failed, or which samples of a pod with several failed.
 */
export function isUnread(pod: WorkerPod, job: JobRecord | undefined): boolean {
  if (!pod.queue || !isOver(pod) || !job || job.recorded) return false;
  if (pod.phase === 'Failed') return !pod.disrupted;
  return job.samples.length === 0 || job.samplesPerPod > 1;
}
