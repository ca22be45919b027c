/** What a candidate may do with the Lease it sees. Pure: times are of the candidate's own monotonic clock, ms. */

import type { Lease } from '@seqpanel/crds/kube/core-types.ts';

type LeaseSpec = NonNullable<Lease['spec']>;

/** A record of the Lease, and when this process first saw it. */
export interface Sighting {
  record: string;
  since: number;
}

/**
 * What is compared to tell that a holder is alive. Nothing of it is ever compared with a clock: the holder's may be
 * wrong by any amount, so only that the record changes counts, and when this process saw that (as client-go does).
 */
const recordOf = ({ spec }: Lease): string => JSON.stringify(spec ?? {});

/** The sighting of a record: the known one as long as the record is the same. */
export function sight(lease: Lease, known: Sighting | undefined, now: number): Sighting {
  const record = recordOf(lease);
  return known?.record === record ? known : { record, since: now };
}

/** `take` when nobody holds it, when its holder has not renewed it for its whole length, or when it is ours already. */
export function decideLease(
  lease: Lease | undefined,
  seen: Sighting | undefined,
  { identity, leaseMs, now }: { identity: string; leaseMs: number; now: number },
): 'create' | 'take' | 'wait' {
  if (!lease) return 'create';
  const { holderIdentity, leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (!holderIdentity || holderIdentity === identity) return 'take';
  const length = Math.max(leaseMs, leaseDurationSeconds * 1000);
  return seen && now - seen.since >= length ? 'take' : 'wait';
}

/** RFC 3339 with the six digits that a MicroTime must have. */
const microTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** The spec by which `identity` takes or renews the Lease; the times are for people. */
export function heldSpec(before: LeaseSpec | undefined, identity: string, leaseMs: number, wallMs: number): LeaseSpec {
  const same = before?.holderIdentity === identity;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: (same && before?.acquireTime) || microTime(wallMs),
    renewTime: microTime(wallMs),
    leaseTransitions: (before?.leaseTransitions ?? 0) + (same ? 0 : 1),
  };
}
