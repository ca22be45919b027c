/** Decides what a delete does: remove the object, or mark it until its finalizers and grace period are done. */

import { type Obj, timestamp } from './metadata.ts';
import { type ResourceType, subjectOf } from './resources.ts';
import { conflict } from './status.ts';
import { strategyFor } from './strategies.ts';

/** DeleteOptions. */
export interface DeleteOptions {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** Finalizers of the two policies with which the owner waits. */
export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** Throws 409 when the preconditions do not match the object. */
export function requireMeant(type: ResourceType, old: Obj, given: DeleteOptions['preconditions']): void {
  const { uid, resourceVersion } = old.metadata;
  if (given?.uid && given.uid !== uid) {
    throw conflict(
      subjectOf(type, old.metadata.name),
      `the UID in the precondition (${given.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (given?.resourceVersion && given.resourceVersion !== resourceVersion) {
    throw conflict(
      subjectOf(type, old.metadata.name),
      `the ResourceVersion in the precondition (${given.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** Returns the object after the delete; `now` in milliseconds. */
export function decideDeletion(
  type: ResourceType,
  old: Obj,
  options: DeleteOptions,
  now: number,
): { object: Obj; gone: boolean } {
  const metadata = { ...old.metadata };
  const object: Obj = { ...old, metadata };
  const grace = type.kind === 'Pod' ? podGrace(old, options.gracePeriodSeconds) : 0;
  const policy = options.propagationPolicy ?? strategyFor(type).deletePolicy;
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== ORPHAN && one !== FOREGROUND);
  if (policy === 'Orphan') finalizers.push(ORPHAN);
  if (policy === 'Foreground') finalizers.push(FOREGROUND);
  if (!metadata.deletionTimestamp) {
    metadata.finalizers = finalizers;
    if (metadata.generation) metadata.generation++;
  } else if (options.propagationPolicy) metadata.finalizers = finalizers;
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  if (!metadata.finalizers && grace === 0) return { object, gone: true };
  if (!metadata.deletionTimestamp || grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionTimestamp = timestamp(now + grace * 1000);
    metadata.deletionGracePeriodSeconds = grace;
  }
  return { object, gone: false };
}

/** Grace period of a pod in seconds; 0 when nothing can be running. */
function podGrace(pod: Obj, asked: number | undefined): number {
  const spec = pod['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const grace = asked ?? spec.terminationGracePeriodSeconds ?? 30;
  return pod.metadata.deletionTimestamp ? Math.min(grace, pod.metadata.deletionGracePeriodSeconds ?? grace) : grace;
}
