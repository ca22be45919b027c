/** Reconciles WorkerPools: gather, plan, give and ask for nodes, write the status once, take nodes away. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isForbidden } from '@seqpanel/crds/kube/errors.ts';
import { type Stored, WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import { timestamp } from '../kube/conditions.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkResult } from '../kube/queue.ts';
import { writeStatus } from '../kube/write-status.ts';
import type { ChooseProvider } from './choose-provider.ts';
import type { Claims } from './claims.ts';
import { type Problem, problemConditions, REASON } from './conditions.ts';
import type { WorkerNode, WorkerPod } from './facts.ts';
import { gather, nodesOf } from './gather.ts';
import { cordon, markRemoving, podsNowOn, uncordon } from './node-acts.ts';
import { isIdle } from './node-view.ts';
import { OwnWrites } from './own-writes.ts';
import { type Plan, plan } from './plan.ts';
import type { Target, WorkerProvider } from './provider.ts';
import { rivalOf } from './rival.ts';
import { isUrgent, type PoolStatus, planStatus } from './status.ts';
import { poolStory, replaced, scaledIn, scaledOut, spared } from './story.ts';

export interface WorkerPoolReconcilerOptions {
  client: KubeClient;
  choose: ChooseProvider;
  claims: Pick<Claims, 'take' | 'release'>;
  pools: Store<Stored<WorkerPool>>;
  nodes: Store<WorkerNode>;
  /** Indexes `node` and `queue`. */
  pods: Store<WorkerPod>;
  isUnread: (pod: WorkerPod) => boolean;
  events: EventRecorder;
  now: () => number;
}

/** Targets and machines are not watched: they are looked at at every round, and at least so often. */
const LOOK_AGAIN_MS = 60_000;
/** While nodes come or go. */
const LOOK_SOON_MS = 5_000;
/** Who runs what is written at most so often, as the progress of tasks is. */
const PACE_MS = 5_000;

/** One round: what was read, and what is to be done with it. */
interface Round {
  key: string;
  pool: Stored<WorkerPool>;
  provider: WorkerProvider;
  target: Target;
  plan: Plan;
  signal: AbortSignal;
}

export class WorkerPoolReconciler {
  readonly #options: WorkerPoolReconcilerOptions;
  readonly #own = new OwnWrites();
  readonly #written = new Map<string, number>();
  readonly #nodesOf = new Map<string, ReadonlySet<string>>();

  constructor(options: WorkerPoolReconcilerOptions) {
    this.#options = options;
  }

  /** Keys of the pools whose nodes had that name at their last round. */
  poolsOf(node: string): string[] {
    return [...this.#nodesOf].flatMap(([key, nodes]) => (nodes.has(node) ? [key] : []));
  }

  /** Throws what is to be repeated; a Conflict is one of these. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { pools, nodes, pods, isUnread, now } = this.#options;
    const cached = pools.get(key);
    if (!cached || cached.metadata.deletionTimestamp) return this.#release(key, signal);
    const pool = this.#own.pool(key, cached);
    const found = await this.#find(pool, signal);
    if ('reason' in found) return this.#tell(pool, found, signal);
    const { provider, target } = found;
    const known = {
      nodes: this.#own.nodes(nodes.list()),
      podsOn: (node: string) => pods.byIndex('node', node),
      podsOf: (queue: string) => pods.byIndex('queue', queue),
      isUnread,
    };
    this.#nodesOf.set(key, new Set(nodesOf(pool, target, known.nodes).map(({ name }) => name)));
    const input = gather(key, pool, target, known, now());
    const round: Round = { key, pool, provider, target, plan: plan(input), signal };
    await this.#give(round, input.waiting);
    const replicas = round.plan.scaleOut ?? target.replicas;
    const status = planStatus({ pool, plan: round.plan, waiting: input.waiting.length, replicas }, now());
    const lateMs = await this.#write(round, status);
    await this.#take(round);
    return { requeueAfterMs: this.#again(round.plan, lateMs) };
  }

  /** The pool's provider and target, or why there are none. */
  async #find(
    pool: Stored<WorkerPool>,
    signal: AbortSignal,
  ): Promise<{ provider: WorkerProvider; target: Target } | Problem> {
    const { choose, claims, pools } = this.#options;
    const { apiVersion, kind, name } = pool.spec.scaleTargetRef;
    const rival = rivalOf(pool, pools.list());
    if (rival)
      return {
        reason: REASON.duplicate,
        message: `${rival.shared} the older pool ${rival.pool.metadata.name}; only one may scale.`,
      };
    try {
      const provider = await choose(pool, signal);
      const target = await provider?.look(signal);
      if (!provider || !target)
        return {
          reason: REASON.targetNotFound,
          message: `spec.scaleTargetRef: ${apiVersion} ${kind} ${name} is not there, or has no scale.`,
        };
      if (!target.machines && Object.keys(pool.spec.nodeSelector ?? {}).length === 0)
        return {
          reason: REASON.noNodeSelector,
          message: 'spec.nodeSelector: name the labels of the nodes; a plain scale does not tell which nodes it makes.',
        };
      const other = await claims.take(pool, signal);
      if (other)
        return {
          reason: REASON.duplicate,
          message:
            `spec.scaleTargetRef: the pool ${other} of another installation scales it; only one may. ` +
            'It is free when that pool is deleted, or 15 minutes after its operator has gone.',
        };
      return { provider, target };
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return { reason: REASON.targetForbidden, message: `spec.scaleTargetRef: ${error.message}` };
    }
  }

  async #tell(pool: Stored<WorkerPool>, problem: Problem, signal: AbortSignal): Promise<WorkResult> {
    const { client, events, now } = this.#options;
    const status: PoolStatus = { ...pool.status, conditions: problemConditions(pool, problem, now()) };
    const stored = await writeStatus(client, WORKER_POOLS, pool, status, signal);
    if (stored) for (const event of poolStory(pool.status, status)) events.record(stored, event);
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }

  /** What makes room for waiting pods comes first, then the cordons. */
  async #give(
    { key, pool, provider, target, plan: { scaleOut, scaleIn }, signal }: Round,
    waiting: readonly WorkerPod[],
  ): Promise<void> {
    const { client, events, now } = this.#options;
    if (scaleOut !== undefined) {
      await provider.resize(target, scaleOut, signal);
      events.record(pool, scaledOut(target.replicas, scaleOut, waiting, pool.spec.min));
    }
    const machineOf = (node: string) => target.machines?.find((machine) => machine.node === node);
    for (const node of scaleIn.uncordon) {
      const machine = machineOf(node);
      if (machine?.markedAt) await provider.choice?.unmark(machine.name, signal);
      await uncordon(client, node, signal);
    }
    for (const node of scaleIn.cordon) {
      const at = timestamp(now());
      await cordon(client, node, key, at, signal);
      const machine = machineOf(node);
      if (machine && machine.markedAt === undefined) await provider.choice?.mark(machine.name, at, signal);
    }
  }

  /** Answers the ms after which what was not urgent is to be written. */
  async #write({ key, pool, plan, signal }: Round, status: PoolStatus): Promise<number | undefined> {
    const { client, events, now } = this.#options;
    const pause = (this.#written.get(key) ?? 0) + PACE_MS - now();
    if (pause > 0 && !isUrgent(pool.status, status)) return pause;
    const stored = await writeStatus(client, WORKER_POOLS, pool, status, signal);
    if (!stored) return undefined;
    this.#own.wrotePool(key, pool, stored);
    this.#written.set(key, now());
    for (const event of [...poolStory(pool.status, status), ...replaced(plan)]) events.record(stored, event);
    return undefined;
  }

  async #take({ pool, provider, target, plan: { scaleIn, registration }, signal }: Round): Promise<void> {
    const { client, events, nodes, isUnread, now } = this.#options;
    for (const row of registration.replace) {
      const machine = target.machines?.find(({ name, node }) => name === row || node === row);
      if (machine) await provider.choice?.replace(machine.name, signal);
    }
    if (scaleIn.replicas >= target.replicas) return;
    const busy: string[] = [];
    for (const node of scaleIn.remove) if (!isIdle(await podsNowOn(client, node, signal), isUnread)) busy.push(node);
    for (const node of busy) events.record(pool, spared(node));
    // All of them are marked, and any marked one may go: the next round gives the busy ones back first.
    if (busy.length > 0) return;
    const { remove: leaving, replicas } = scaleIn;
    // Before the number is lowered: whoever comes after a crash must not give such a node back at once.
    for (const node of leaving) {
      if (!nodes.get(node)?.cordonedBy) continue;
      const at = timestamp(now());
      this.#own.removes(node, at);
      await markRemoving(client, node, at, signal);
    }
    await provider.resize(target, replicas, signal);
    events.record(pool, scaledIn(target.replicas, replicas, leaving));
  }

  #again({ dueAt, moving, scaleOut, scaleIn }: Plan, lateMs: number | undefined): number {
    const soon = moving || scaleOut !== undefined || scaleIn.cordon.length > 0;
    // A little late is well: the time that a step waits for has then come.
    const dueMs = dueAt === undefined ? LOOK_AGAIN_MS : Math.max(0, dueAt - this.#options.now()) + 50;
    return Math.min(dueMs, lateMs ?? LOOK_AGAIN_MS, soon ? LOOK_SOON_MS : LOOK_AGAIN_MS);
  }

  /** A pool that is gone leaves no node cordoned. Whether one of another installation is gone cannot be seen from here. */
  async #release(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { client, claims, nodes } = this.#options;
    if (!key.startsWith(`${client.namespace}/`)) return {};
    this.#nodesOf.delete(key);
    this.#written.delete(key);
    for (const { name, cordonedBy } of nodes.list()) if (cordonedBy === key) await uncordon(client, name, signal);
    await claims.release(key, signal);
    return {};
  }
}
