/**
 * Of the installations of a cluster one alone scales a target. Their operators do not see each other's pools; the
 * namespace of the target they both see, and in it a Lease tells by an annotation for each target which pool has it.
 * No right to change the target itself is needed for that.
 */

import { createHash } from 'node:crypto';
import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { isAlreadyExists, isConflict, isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { keyOf, LEASES, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { OURS } from '../jobs/labels.ts';
import { timestamp } from '../kube/conditions.ts';
import { groupOf } from './cluster-api.ts';

/** What the annotation holds; the time is for people, and so that each renewal is another text. */
export interface Claim {
  target: string;
  /** namespace/name. */
  pool: string;
  renewed: string;
}

/** The chart's Roles name it. */
export const CLAIMS = 'seqpanel-workers';
const RENEW_MS = 5 * 60_000;
/** A claim that did not change for so long is of an operator that is gone. */
export const FREE_MS = 15 * 60_000;
/** Two of many who write the Lease at once read it again. */
const TRIES = 5;

const namespaceOf = (pool: string): string => pool.split('/')[0] ?? '';

/**
 * `seenMs` is for how long this process has seen the claim unchanged: no clock but its own is asked, since that of the
 * other may be wrong by any amount. The pools of one namespace are told apart by their operator, which sees them all.
 */
export function decideClaim(claim: Claim | undefined, pool: string, seenMs: number): 'take' | 'keep' | 'wait' {
  if (claim?.pool === pool) return seenMs < RENEW_MS ? 'keep' : 'take';
  if (!claim || namespaceOf(claim.pool) === namespaceOf(pool)) return 'take';
  return seenMs < FREE_MS ? 'wait' : 'take';
}

interface Place {
  /** Of the target and its Lease. */
  namespace: string;
  annotation: string;
  target: string;
}

function placeOf({ metadata, spec: { scaleTargetRef: ref } }: Stored<WorkerPool>): Place {
  const target = `${[ref.kind, groupOf(ref)].filter(Boolean).join('.')} ${ref.name}`;
  // A name of an annotation is shorter than that of an object may be.
  const hash = createHash('sha256').update(target).digest('hex').slice(0, 20);
  return { namespace: ref.namespace ?? metadata.namespace ?? '', annotation: `scale.seqpanel.dev/${hash}`, target };
}

const seenAt = ({ namespace, annotation }: Place): string => `${namespace} ${annotation}`;

export class Claims {
  readonly #client: KubeClient;
  readonly #now: () => number;
  /** By place: the text of the claim, and since when this process has seen it so. */
  readonly #seen = new Map<string, { text: string; since: number }>();
  /** By pool: where it has a claim. */
  readonly #held = new Map<string, Place>();

  constructor(client: KubeClient, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Takes, keeps or renews the target for the pool; answers the other installation's pool when that has it. */
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

  /** Gives up what a pool that is gone had. What it had before this process began is free after a while. */
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

  async #read({ namespace }: Place, signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    return await this.#client.get(LEASES, CLAIMS, { signal, namespace }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  #seenFor(lease: Lease | undefined, place: Place): number {
    const text = textOf(lease, place);
    const known = this.#seen.get(seenAt(place));
    if (known?.text === text) return this.#now() - known.since;
    this.#seen.set(seenAt(place), { text, since: this.#now() });
    return 0;
  }

  /** Over what was read, or not at all. */
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

/** What a person wrote there that is no claim counts as none. */
function claimOf(lease: Lease | undefined, place: Place): Claim | undefined {
  try {
    const claim = JSON.parse(textOf(lease, place)) as Partial<Claim>;
    return typeof claim.pool === 'string' ? (claim as Claim) : undefined;
  } catch {
    return undefined;
  }
}
