/**
 * Leader election over one Lease: one operator works and the others stand by with filled caches. Modelled on client-go's
 * leaderelection: 10 s / 7 s / 2 s, resourceVersion as lock, only the process's own monotonic clock.
 */

import { sleep } from '@seqpanel/crds/kube/backoff.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { isAlreadyExists, isConflict } from '@seqpanel/crds/kube/errors.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { LEASES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { decideLease, heldSpec, type Sighting, sight } from './lease.ts';

export interface LeaseTimes {
  /** A Lease that was not renewed for this time may be taken by others, ms. */
  leaseMs: number;
  /** A leader that could not renew for this time steps down, ms. The rest of the lease covers calls in flight. */
  renewMs: number;
  /** Interval between renewals, ms. Candidates check twice as often, to take a released Lease within this time. */
  retryMs: number;
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 10_000, renewMs: 7_000, retryMs: 2_000 };

export interface LeaderOptions {
  /** A client with its own connections: a renewal must not wait behind other calls. */
  client: KubeClient;
  name: string;
  identity: string;
  times?: LeaseTimes;
  /** Monotonic clock, ms. */
  clock?: () => number;
  /** Wall clock for the times that people read, ms since the epoch. */
  now: () => number;
  /** Called for each failed call; it is retried. */
  onError?: (error: unknown) => void;
}

/** The Lease could not be renewed in time, or another process holds it. This process must exit. */
export class LeadershipLost extends Error {}

export class Leader {
  readonly #options: Required<Omit<LeaderOptions, 'onError'>> & Pick<LeaderOptions, 'onError'>;
  #lease: Stored<Lease> | undefined;
  #seen: Sighting | undefined;
  /** Start of the last successful renewal, by the monotonic clock. */
  #renewedAt: number | undefined;

  constructor(options: LeaderOptions) {
    this.#options = { times: LEASE_TIMES, clock: () => performance.now(), ...options };
  }

  /** Whether no other process can hold the Lease. Checked before each write, so that a paused process writes nothing. */
  get leads(): boolean {
    return this.#renewedAt !== undefined && this.#options.clock() - this.#renewedAt < this.#options.times.renewMs;
  }

  /** Resolves when this process is the leader or the signal fires. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { times, onError } = this.#options;
    while (!signal.aborted) {
      try {
        if (await this.#try()) return;
      } catch (error) {
        // Another process was faster.
        if (!isConflict(error) && !isAlreadyExists(error)) onError?.(error);
      }
      await sleep(times.retryMs / 2, signal);
    }
  }

  /** Renews the Lease until the signal fires. Throws LeadershipLost. */
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

  /** Releases the Lease so that another process can take it immediately. Call it when all work has finished. */
  async release(): Promise<void> {
    const { client, times } = this.#options;
    const lease = this.#lease;
    if (!this.leads || !lease) return;
    this.#renewedAt = undefined;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await client.update(LEASES, { ...lease, spec }, { signal: AbortSignal.timeout(times.retryMs) });
  }

  /**
   * Takes or renews the Lease and returns whether this process holds it. Renews on top of the last known version; when that
   * fails, because an earlier renewal got no response or another process holds it, reads the Lease as a candidate does.
   * Signals do not cancel the call, because releasing the Lease requires the result of the renewal.
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

  #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    return ignoreGone(this.#options.client.get(LEASES, this.#options.name, { signal }));
  }
}
