/** Decides what the cluster's answer means for an intent. Pure. */

import { BadRequest, isConflict, isInvalid, isNotFound, KubeError } from '@seqpanel/crds/kube/errors.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Intent } from '../../outbox/intent.ts';

export type IntentOutcome =
  | { state: 'done' }
  | { state: 'retry'; message: string }
  | { state: 'failed'; message: string };

/**
 * `error` is what the call threw, undefined for success. Conflicts do not fail here: one of a create was settled by
 * comparing the existing object, and one of an update is read again. An intent fails for errors that a retry cannot
 * fix; all others are retried.
 */
export function outcomeOf(intent: Intent, error: unknown): IntentOutcome {
  if (error === undefined) return { state: 'done' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ForeignObject || error instanceof ChangedElsewhere) return { state: 'failed', message };
  if (isNotFound(error) && (intent.type === 'patch' || intent.type === 'delete')) return { state: 'done' };
  if (isInvalid(error) || error instanceof BadRequest) return { state: 'failed', message };
  if (isConflict(error)) return { state: 'retry', message };
  // 413: the object exceeds the API server's size limit.
  if (error instanceof KubeError && error.status === 413) return { state: 'failed', message };
  return { state: 'retry', message };
}

/** An object of this name exists and is not ours. */
export class ForeignObject extends Error {
  constructor(what: string) {
    super(`${what} exists already and was not made by this installation's launch`);
    this.name = 'ForeignObject';
  }
}

/** Somebody else changed the object since the row last equalled it. */
export class ChangedElsewhere extends Error {
  readonly found: Stored<KubeObject>;

  constructor(what: string, found: Stored<KubeObject>) {
    super(`${what} was changed outside of the console; that version is kept`);
    this.name = 'ChangedElsewhere';
    this.found = found;
  }
}
