/** What an answer of the cluster means for an intent. Pure. */

import { BadRequest, isConflict, isInvalid, isNotFound, KubeError } from '@seqpanel/crds/kube/errors.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Intent } from '../../outbox/intent.ts';

export type Verdict = { state: 'done' } | { state: 'retry'; message: string } | { state: 'failed'; message: string };

/**
 * `error`: what the call threw, undefined for success. A conflict of a create is settled before this by looking at the
 * object that is there; one of an update is read again. What no repetition heals fails; all else is repeated.
 */
export function verdictOf(intent: Intent, error: unknown): Verdict {
  if (error === undefined) return { state: 'done' };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ForeignObject || error instanceof ChangedElsewhere) return { state: 'failed', message };
  if (isNotFound(error) && (intent.type === 'patch' || intent.type === 'delete')) return { state: 'done' };
  if (isInvalid(error) || error instanceof BadRequest) return { state: 'failed', message };
  if (isConflict(error)) return { state: 'retry', message };
  // 413: larger than the API server takes.
  if (error instanceof KubeError && error.status === 413) return { state: 'failed', message };
  return { state: 'retry', message };
}

/** An object of this name is there and is not ours. */
export class ForeignObject extends Error {
  constructor(what: string) {
    super(`${what} exists already and was not made by this installation's launch`);
    this.name = 'ForeignObject';
  }
}

/** The object was changed by somebody else since the row equalled it. */
export class ChangedElsewhere extends Error {
  readonly found: Stored<KubeObject>;

  constructor(what: string, found: Stored<KubeObject>) {
    super(`${what} was changed outside of the console; that version is kept`);
    this.name = 'ChangedElsewhere';
    this.found = found;
  }
}
