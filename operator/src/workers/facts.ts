/** What the workers' decisions read of pods, nodes and machines; caches hold these cuts, not the whole objects. */

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
  /** Empty for a pod that is not ours. */
  queue: string;
  task: string;
  job: string;
  node?: string;
  created: string;
  phase: PodPhase;
  disrupted: boolean;
  deleting: boolean;
  /** It stays with its node: of a DaemonSet, or a mirror of a file on the node. */
  daemon: boolean;
  /** It may not be scheduled yet. */
  gated: boolean;
  /** What the scheduler says. */
  unschedulable?: string;
  requests: Amounts;
}

export interface WorkerNode {
  name: string;
  labels: Record<string, string>;
  ready: boolean;
  cordoned: boolean;
  deleting: boolean;
  /** namespace/name of the pool that cordoned it; an administrator's cordon has none and is left alone. */
  cordonedBy?: string;
  cordonedAt?: string;
  /** When the target's number was lowered for it. */
  removingAt?: string;
  allocatable: Amounts;
  providerId?: string;
  created: string;
  address?: string;
}

/** A machine of a target that knows its machines. */
export interface Machine {
  name: string;
  node?: string;
  created: string;
  deleting: boolean;
  /** When it was chosen to go next. */
  markedAt?: string;
  phase?: string;
  providerId?: string;
  address?: string;
}

/** Set on a node that a pool cordons; gone with the cordon. */
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
  // Others are host names, which may be longer than any address.
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

/** What a Job's record says of an ended pod's last word. */
export interface JobRecord {
  samples: number[];
  samplesPerPod: number;
  /** What came of it stands in the status of who owns it. */
  recorded: boolean;
}

/**
 * True while the operator may still need an ended stage pod's last word. Pods of a node that is gone are removed by the
 * pod garbage collector, and with them the reason for which a sample failed, or the names of the samples that failed
 * in a pod of several.
 */
export function isUnread(pod: WorkerPod, job: JobRecord | undefined): boolean {
  if (!pod.queue || !isOver(pod) || !job || job.recorded) return false;
  if (pod.phase === 'Failed') return !pod.disrupted;
  return job.samples.length === 0 || job.samplesPerPod > 1;
}
