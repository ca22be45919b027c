/**
 * Ensures that only one installation of a cluster scales a target. The operators do not see each other's pools, but both
 * see the target's namespace: a Lease there has an annotation per target with the pool that owns it. This needs no
 * permission to change the target itself.
 */

import { createHash } from 'node:crypto';
import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { isAlreadyExists, isConflict } from '@seqpanel/crds/kube/errors.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { keyOf, LEASES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { OURS } from '../jobs/labels.ts';
import { timestamp } from '../kube/conditions.ts';
import { groupOf } from './cluster-api.ts';

/** Content of the annotation. The time is informative and makes each renewal differ. */
export interface Claim {
  target: string;
  /** namespace/name. */
  pool: string;
  renewed: string;
}

/** The chart's Roles name this Lease. */
export const CLAIMS = 'seqpanel-workers';
const RENEW_MS = 5 * 60_000;
/** A claim that is unchanged for this time belongs to an operator that is gone. */
export const FREE_MS = 15 * 60_000;
/** Attempts to write the Lease when others write it at the same time. */
const TRIES = 5;

const namespaceOf = (pool: string): string => pool.split('/')[0] ?? '';

/**
 * `seenMs` is how long this process has seen the claim unchanged. Only its own clock counts, because the other's may be
 * wrong. Pools of one namespace are compared by their operator, which sees them all.
 */
export function decideClaim(claim: Claim | undefined, pool: string, seenMs: number): 'take' | 'keep' | 'wait' {
  if (claim?.pool === pool) return seenMs < RENEW_MS ? 'keep' : 'take';
  if (!claim || namespaceOf(claim.pool) === namespaceOf(pool)) return 'take';
  return seenMs < FREE_MS ? 'wait' : 'take';
}

interface Place {
  /** Namespace of the target and its Lease. */
  namespace: string;
  annotation: string;
  target: string;
}

function placeOf({ metadata, spec: { scaleTargetRef: ref } }: Stored<WorkerPool>): Place {
  const target = `${[ref.kind, groupOf(ref)].filter(Boolean).join('.')} ${ref.name}`;
  // Annotation keys are shorter than object names may be, so the key holds a hash.
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 20);
  return { namespace: ref.namespace ?? metadata.namespace ?? '', annotation: `scale.seqpanel.dev/${hash}`, target };
}

const seenAt = ({ namespace, annotation }: Place): string => `${namespace} ${annotation}`;

export class Claims {
  readonly #client: KubeClient;
  readonly #now: () => number;
  /** By place: the text of the claim and since when this process has seen it. */
  readonly #seen = new Map<string, { text: string; since: number }>();
  /** By pool: the place of its claim. */
  readonly #held = new Map<string, Place>();

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Takes, keeps or renews the target for the pool; returns the other installation's pool if that owns it. */
  async take(pool: Stored<WorkerPool>, signal: AbortSignal): Promise<string | undefined> {
    const key = keyOf(pool);
    const place = placeOf(pool);
    const before = this.#held.get(key);
    if (before && (before.namespace !== place.namespace || before.annotation !== place.annotation))
      await this.release(key, signal);
    return await this.#repeated(async () => {
      const lease = await this.#read(place, signal);
      const claim = claimOf(lease, place);
      const move = decideClaim(claim, key, this.#seenFor(lease, place));
      if (move === 'wait') return claim?.pool;
      if (move === 'take') {
        const text = JSON.stringify({ target: place.target, pool: key, renewed: timestamp(this.#now()) });
        await this.#write(lease, place, text, signal);
        this.#seen.set(seenAt(place), { text, since: this.#now() });
      }
      this.#held.set(key, place);
      return undefined;
    });
  }

  /** Releases the claim of a deleted pool. Claims from before this process started expire. */
  async release(key: string, signal: AbortSignal): Promise<void> {
    const place = this.#held.get(key);
    if (!place) return;
    await this.#repeated(async () => {
      const lease = await this.#read(place, signal);
      if (claimOf(lease, place)?.pool === key) await this.#write(lease, place, undefined, signal);
    });
    this.#held.delete(key);
  }

  async #repeated<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await work();
      } catch (error) {
        if (tries === TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error;
      }
  }

  #read({ namespace }: Place, signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    return ignoreGone(this.#client.get(LEASES, CLAIMS, { signal, namespace }));
  }

  #seenFor(lease: Lease | undefined, place: Place): number {
    const text = textOf(lease, place);
    const known = this.#seen.get(seenAt(place));
    if (known?.text === text) return this.#now() - known.since;
    this.#seen.set(seenAt(place), { text, since: this.#now() });
    return 0;
  }

  /** Writes only on top of the version that was read. */
  async #write(
    lease: Stored<Lease> | undefined,
    { namespace, annotation }: Place,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { [annotation]: _, ...others } = lease?.metadata.annotations ?? {};
    const annotations = { ...others, ...(text !== undefined && { [annotation]: text }) };
    const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    if (lease) {
      const changed = { ...lease, ...kind, metadata: { ...lease.metadata, annotations } };
      await this.#client.update(LEASES, changed, { signal, namespace });
    } else {
      const made = { ...kind, metadata: { name: CLAIMS, namespace, labels: OURS, annotations } };
      await this.#client.create(LEASES, made, { signal, namespace });
    }
  }
}

const textOf = (lease: Lease | undefined, { annotation }: Place): string =>
  lease?.metadata?.annotations?.[annotation] ?? '';

/** Returns undefined for content that is not a claim. */
function claimOf(lease: Lease | undefined, place: Place): Claim | undefined {
  try {
    const claim = JSON.parse(textOf(lease, place)) as Partial<Claim>;
    return typeof claim.pool === 'string' ? (claim as Claim) : undefined;
  } catch {
    return undefined;
  }
}
