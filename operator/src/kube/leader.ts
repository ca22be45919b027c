/**
 * Leader election over one Lease: of several operators one works, the others stand by with filled caches. Modelled
 * after client-go's leaderelection: 10 s / 7 s / 2 s, the resourceVersion as lock, the own monotonic clock alone.
 */

import { sleep } from '@seqpanel/crds/kube/backoff.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { isAlreadyExists, isConflict, isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { LEASES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { decideLease, heldSpec, type Sighting, sight } from './lease.ts';

export interface LeaseTimes {
  /** Others take a Lease that was not renewed for so long, ms. */
  leaseMs: number;
  /** Who could not renew for so long has lost it, ms; the rest of the lease is for calls that are on their way. */
  renewMs: number;
  /** Between two renewals, ms. A candidate looks twice as often, so that a released Lease is taken within this time. */
  retryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 10_000, renewMs: 7_000, retryMs: 2_000 };

export interface LeaderOptions {
  /** With connections of its own: a renewal must not wait behind other calls. */
  client: KubeClient;
  name: string;
  identity: string;
  times?: LeaseTimes;
  /** Monotonic, ms. */
  clock?: () => number;
  /** For the times that people read, ms since the epoch. */
  now: () => number;
  /** Told of every call that failed; it is repeated. */
  onError?: (error: unknown) => void;
}

/** The Lease could not be renewed in time or is held by another: this process must end. */
export class LeadershipLost extends Error {}

export class Leader {
  readonly #options: Required<Omit<LeaderOptions, 'onError'>> & Pick<LeaderOptions, 'onError'>;
  #lease: Stored<Lease> | undefined;
  #seen: Sighting | undefined;
  /** When the last renewal that succeeded was begun, by the clock. */
  #renewedAt: number | undefined;

  constructor(options: LeaderOptions) {
    this.#options = { times: LEASE_TIMES, clock: () => performance.now(), ...options };
  }

  /** True as long as nobody else can hold the Lease. Asked before every write, so that a process that slept writes nothing. */
  get leads(): boolean {
    return this.#renewedAt !== undefined && this.#options.clock() - this.#renewedAt < this.#options.times.renewMs;
  }

  /** Resolves when this process leads, or when the signal fires. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { times, onError } = this.#options;
    while (!signal.aborted) {
      try {
        if (await this.#try()) return;
      } catch (error) {
        // Another was faster.
        if (!isConflict(error) && !isAlreadyExists(error)) onError?.(error);
      }
      await sleep(times.retryMs / 2, signal);
    }
  }

  /** Renews until the signal fires. Throws LeadershipLost. */
  async hold(signal: AbortSignal): Promise<void> {
    const { times, onError } = this.#options;
    for (let failed = false; ; ) {
      await sleep(failed ? times.retryMs / 4 : times.retryMs, signal);
      if (signal.aborted) return;
      if (!this.leads) throw new LeadershipLost(`the Lease was not renewed for ${times.renewMs / 1000} s`);
      try {
        if (!(await this.#try())) throw new LeadershipLost('the Lease is held by another process');
        failed = false;
      } catch (error) {
        if (error instanceof LeadershipLost) throw error;
        failed = true;
        onError?.(error);
      }
    }
  }

  /** Gives the Lease up, so that another takes it at once. To be called when all work has ended. */
  async release(): Promise<void> {
    const { client, times } = this.#options;
    const lease = this.#lease;
    if (!this.leads || !lease) return;
    this.#renewedAt = undefined;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await client.update(LEASES, { ...lease, spec }, { signal: AbortSignal.timeout(times.retryMs) });
  }

  /**
   * True when the Lease is ours now. A leader writes over what it knows; when that is not what is stored, because an
   * earlier renewal came through without an answer or because another holds it, it reads, as a candidate does. The
   * call is not ended by a signal: how a renewal ended must be known to release the Lease.
   */
  async #try(): Promise<boolean> {
    const signal = AbortSignal.timeout((this.#options.times.renewMs - this.#options.times.retryMs) / 2);
    const known = this.leads ? this.#lease : undefined;
    try {
      return await this.#round(known ?? (await this.#read(signal)), signal);
    } catch (error) {
      if (!known || !isConflict(error)) throw error;
      return await this.#round(await this.#read(signal), signal);
    }
  }

  async #round(found: Stored<Lease> | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, name, identity, times, clock, now } = this.#options;
    const begun = clock();
    if (found) this.#seen = sight(found, this.#seen, begun);
    const move = decideLease(found, this.#seen, { identity, leaseMs: times.leaseMs, now: begun });
    if (move === 'wait') return false;
    const spec = heldSpec(found?.spec, identity, times.leaseMs, now());
    const metadata = found?.metadata ?? { name };
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    this.#lease = found
      ? await client.update(LEASES, lease, { signal })
      : await client.create(LEASES, lease, { signal });
    this.#renewedAt = begun;
    return true;
  }

  async #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      return await this.#options.client.get(LEASES, this.#options.name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
