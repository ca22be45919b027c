/** Decides what a candidate may do with the Lease. Pure; times are from the candidate's own monotonic clock, ms. */

import type { Lease } from '@seqpanel/crds/kube/core-types.ts';

type LeaseSpec = NonNullable<Lease['spec']>;

/** A version of the Lease and when this process first saw it. */
export interface Sighting {
  record: string;
  since: number;
}

/**
 * Shows that the holder is alive when it changes. Its times are never compared with a clock, because the holder's clock
 * may be wrong; only changes and when this process saw them count (as in client-go).
 */
const recordOf = ({ spec }: Lease): string => JSON.stringify(spec ?? {});

/** Returns the known sighting while the record is unchanged, else a new one. */
export function sight(lease: Lease, known: Sighting | undefined, now: number): Sighting {
  const record = recordOf(lease);
  return known?.record === record ? known : { record, since: now };
}

/** `take` when nobody holds the Lease, when it has expired, or when this process already holds it. */
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

/** RFC 3339 with the six fractional digits that a MicroTime requires. */
const microTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`;

/** Returns the spec with which `identity` takes or renews the Lease. Its times are informative. */
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
