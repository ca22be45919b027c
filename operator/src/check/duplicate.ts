/** Of two resources with the same value or display name, only the older is valid (creation time, then uid). */

import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { CHECK_REASON, type Checked } from './check-kind.ts';

const isOlder = <T extends Checked>(a: Stored<T>, b: Stored<T>): boolean =>
  a.metadata.creationTimestamp !== b.metadata.creationTimestamp
    ? a.metadata.creationTimestamp < b.metadata.creationTimestamp
    : a.metadata.uid < b.metadata.uid;

/** Returns undefined when the object is the oldest with its value and its display name. */
export function findDuplicate<T extends Checked>(
  object: Stored<T>,
  all: readonly Stored<T>[],
): { reason: string; message: string } | undefined {
  for (const field of ['value', 'displayName'] as const) {
    const other = all.find(
      (candidate) =>
        candidate.metadata.uid !== object.metadata.uid &&
        candidate.spec[field] === object.spec[field] &&
        isOlder(candidate, object),
    );
    if (other) {
      const message = `spec.${field} "${object.spec[field]}" is already used by ${other.metadata.name}, which is older.`;
      return { reason: CHECK_REASON.duplicate, message };
    }
  }
  return undefined;
}
