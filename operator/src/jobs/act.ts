/** Carries out the actions of a decision. Each is safe to repeat: existing and missing objects count as done. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { ConfigMap, Job } from '@seqpanel/crds/kube/core-types.ts';
import { isAlreadyExists, isForbidden } from '@seqpanel/crds/kube/errors.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import {
  ANALYSIS_TASKS,
  CONFIG_MAPS,
  controllerOf,
  JOBS,
  type KubeObject,
  keyOf,
  PODS,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import { timestamp } from '../kube/conditions.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { JobFacts, PodFacts } from './facts.ts';

export type Action =
  | { do: 'createConfigMap'; object: ConfigMap }
  | { do: 'deleteConfigMap'; name: string }
  | { do: 'createJob'; object: Job }
  | { do: 'deleteJob'; job: JobFacts }
  | { do: 'expireJob'; job: JobFacts; seconds: number }
  | { do: 'setParallelism'; job: JobFacts; parallelism: number }
  | { do: 'markPodLost'; pod: PodFacts }
  | { do: 'deleteTask' };

export interface Actor {
  client: KubeClient;
  events: EventRecorder;
  /** Called with the owner's key when a Job was created. */
  onJobCreated?: (key: string) => void;
  now: () => number;
}

/** An object of another owner already has the name; someone must act. */
export class NameTaken extends Error {}

/** The API server does not know the owner's kind yet, because its CRD was just created. It does within seconds. */
export class KindNotKnown extends Error {}

/** Recognizes the error of OwnerReferencesPermissionEnforcement, an admission plugin of OpenShift. It is not a rejection. */
const isKindNotKnown = (error: unknown): boolean =>
  isForbidden(error) && /cannot find RESTMapping/.test((error as Error).message);

export async function act(actor: Actor, owner: Stored<KubeObject>, action: Action, signal: AbortSignal): Promise<void> {
  const { client } = actor;
  const inNamespace = {
    signal,
    ...(owner.metadata.namespace !== undefined && { namespace: owner.metadata.namespace }),
  };
  switch (action.do) {
    case 'createConfigMap':
      return createOwned(client, CONFIG_MAPS, action.object, owner, inNamespace);
    case 'deleteConfigMap':
      await ignoreGone(client.delete(CONFIG_MAPS, action.name, { ...inNamespace, propagation: 'Background' }));
      return;
    case 'createJob':
      await createOwned(client, JOBS, action.object, owner, inNamespace);
      return actor.onJobCreated?.(keyOf(owner));
    case 'deleteJob':
      await ignoreGone(
        client.delete(JOBS, action.job.name, { ...inNamespace, propagation: 'Background', uid: action.job.uid }),
      );
      return;
    case 'expireJob':
      await ignoreGone(
        client.patch(JOBS, action.job.name, { spec: { ttlSecondsAfterFinished: action.seconds } }, inNamespace),
      );
      return;
    case 'setParallelism':
      await ignoreGone(client.patch(JOBS, action.job.name, { spec: { parallelism: action.parallelism } }, inNamespace));
      return;
    case 'markPodLost':
      return markPodLost(actor, owner, action.pod, inNamespace);
    case 'deleteTask':
      await ignoreGone(
        client.delete(ANALYSIS_TASKS, owner.metadata.name, {
          ...inNamespace,
          propagation: 'Background',
          uid: owner.metadata.uid,
        }),
      );
      return;
  }
}

interface Call {
  signal: AbortSignal;
  namespace?: string;
}

async function createOwned<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  object: T,
  owner: Stored<KubeObject>,
  call: Call,
): Promise<void> {
  try {
    await client.create(resource, object, call);
  } catch (error) {
    if (isKindNotKnown(error)) throw new KindNotKnown((error as Error).message, { cause: error });
    if (!isAlreadyExists(error)) throw error;
    // An earlier round created it, or it belongs to someone else.
    const found = await client.get(resource, object.metadata?.name ?? '', call);
    const has = controllerOf(found);
    if (has?.uid === owner.metadata.uid) return;
    // A deleted owner of the same name left it, and garbage collection will remove it.
    if (has?.kind === owner.kind && has?.name === owner.metadata.name)
      throw new Error(`${resource.kind} ${found.metadata.name} of a deleted ${owner.kind} still exists`);
    throw new NameTaken(`${resource.kind} ${found.metadata.name} already exists and belongs to another owner`);
  }
}

async function markPodLost(
  { client, events, now }: Actor,
  owner: Stored<KubeObject>,
  pod: { name: string; node?: string; uid: string },
  call: Call,
): Promise<void> {
  const message = `pod ${pod.name} was on node ${pod.node}, which is gone`;
  const found = await ignoreGone(client.get(PODS, pod.name, call));
  if (!found || found.metadata.uid !== pod.uid) return;
  const lost = {
    type: 'DisruptionTarget',
    status: 'True' as const,
    reason: 'NodeLost',
    message,
    lastTransitionTime: timestamp(now()),
  };
  const others = (found.status?.conditions ?? []).filter(({ type }) => type !== lost.type);
  const status = { phase: 'Failed', reason: 'NodeLost', message, conditions: [...others, lost] };
  if (found.status?.phase === 'Failed') return;
  const { resourceVersion } = found.metadata;
  const marked = await ignoreGone(
    client.patch(PODS, pod.name, { metadata: { resourceVersion }, status }, { ...call, subresource: 'status' }),
  );
  if (marked) events.record(owner, { type: 'Warning', reason: 'NodeLost', message });
}
