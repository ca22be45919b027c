/** Reconciles WorkerPools: gather, plan, add nodes, write the status once, remove nodes. */

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
import type { WorkerNode, WorkerPod } from './facts.ts';
import { gather, nodesOf } from './gather.ts';
import { cordon, markRemoving, podsNowOn, uncordon } from './node-acts.ts';
import { isIdle } from './node-view.ts';
import { OwnWrites } from './own-writes.ts';
import { type Problem, problemConditions, REASON } from './pool-conditions.ts';
import { poolEvents, replaced, scaledIn, scaledOut, spared } from './pool-events.ts';
import { type Plan, plan } from './pool-plan.ts';
import type { Target, WorkerProvider } from './provider.ts';
import { rivalOf } from './rival.ts';
import { isUrgent, type PoolStatus, planStatus } from './status.ts';

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

/** Targets and machines are not watched; they are read each round, at least at this interval. */
const RECHECK_MS = 60_000;
/** Interval while nodes join or leave. */
const RECHECK_SOON_MS = 5_000;
/** Shortest time between two status writes that report only running pods. */
const PACE_MS = 5_000;

/** The data and plan of one round. */
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

  /** Returns the keys of the pools that had the node at their last round. */
  poolsOf(node: string): string[] {
    return [...this.#nodesOf].flatMap(([key, nodes]) => (nodes.has(node) ? [key] : []));
  }

  /** Throws errors that the queue retries, including conflicts. */
  async reconcile(key: string, signal: AbortSignal): Promise<WorkResult> {
    const { pools, nodes, pods, isUnread, now } = this.#options;
    const cached = pools.get(key);
    if (!cached || cached.metadata.deletionTimestamp) return this.#release(key, signal);
    const pool = this.#own.pool(key, cached);
    const found = await this.#find(pool, signal);
    if ('reason' in found) return this.#reportProblem(pool, found, signal);
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
    await this.#addNodes(round, input.waiting);
    const replicas = round.plan.scaleOut ?? target.replicas;
    const status = planStatus({ pool, plan: round.plan, waiting: input.waiting.length, replicas }, now());
    const lateMs = await this.#write(round, status);
    await this.#removeNodes(round);
    return { requeueAfterMs: this.#requeueMs(round.plan, lateMs) };
  }

  /** Returns the pool's provider and target, or the problem that prevents it. */
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
        message: `${rival.shared} the older pool ${rival.pool.metadata.name}. Only one pool may scale.`,
      };
    try {
      const provider = await choose(pool, signal);
      const target = await provider?.read(signal);
      if (!provider || !target)
        return {
          reason: REASON.targetNotFound,
          message: `spec.scaleTargetRef: ${apiVersion} ${kind} ${name} does not exist or has no scale subresource.`,
        };
      if (!target.machines && Object.keys(pool.spec.nodeSelector ?? {}).length === 0)
        return {
          reason: REASON.noNodeSelector,
          message: 'spec.nodeSelector: set the labels of the nodes; a plain scale target does not list its nodes.',
        };
      const other = await claims.take(pool, signal);
      if (other)
        return {
          reason: REASON.duplicate,
          message:
            `spec.scaleTargetRef: pool ${other} of another installation already scales this target. ` +
            'It becomes free when that pool is deleted, or 15 minutes after its operator has stopped.',
        };
      return { provider, target };
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return { reason: REASON.targetForbidden, message: `spec.scaleTargetRef: ${error.message}` };
    }
  }

  async #reportProblem(pool: Stored<WorkerPool>, problem: Problem, signal: AbortSignal): Promise<WorkResult> {
    const { client, events, now } = this.#options;
    const status: PoolStatus = { ...pool.status, conditions: problemConditions(pool, problem, now()) };
    const stored = await writeStatus(client, WORKER_POOLS, pool, status, signal);
    if (stored) for (const event of poolEvents(pool.status, status)) events.record(stored, event);
    return { requeueAfterMs: RECHECK_MS };
  }

  /** Makes room for waiting pods first, then cordons. */
  async #addNodes(
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

  /** Returns the ms until a postponed write is due. */
  async #write({ key, pool, plan, signal }: Round, status: PoolStatus): Promise<number | undefined> {
    const { client, events, now } = this.#options;
    const pause = (this.#written.get(key) ?? 0) + PACE_MS - now();
    if (pause > 0 && !isUrgent(pool.status, status)) return pause;
    const stored = await writeStatus(client, WORKER_POOLS, pool, status, signal);
    if (!stored) return undefined;
    this.#own.wrotePool(key, pool, stored);
    this.#written.set(key, now());
    for (const event of [...poolEvents(pool.status, status), ...replaced(plan)]) events.record(stored, event);
    return undefined;
  }

  async #removeNodes({ pool, provider, target, plan: { scaleIn, registration }, signal }: Round): Promise<void> {
    const { client, events, nodes, isUnread, now } = this.#options;
    for (const row of registration.replace) {
      const machine = target.machines?.find(({ name, node }) => name === row || node === row);
      if (machine) await provider.choice?.replace(machine.name, signal);
    }
    if (scaleIn.replicas >= target.replicas) return;
    const busy: string[] = [];
    for (const node of scaleIn.remove) if (!isIdle(await podsNowOn(client, node, signal), isUnread)) busy.push(node);
    for (const node of busy) events.record(pool, spared(node));
    // All are marked, and the target may remove any of them. The next round unmarks the busy ones first.
    if (busy.length > 0) return;
    const { remove: leaving, replicas } = scaleIn;
    // Before the number is lowered: after a crash, the next process must not uncordon such a node.
    for (const node of leaving) {
      if (!nodes.get(node)?.cordonedBy) continue;
      const at = timestamp(now());
      this.#own.removes(node, at);
      await markRemoving(client, node, at, signal);
    }
    await provider.resize(target, replicas, signal);
    events.record(pool, scaledIn(target.replicas, replicas, leaving));
  }

  #requeueMs({ dueAt, moving, scaleOut, scaleIn }: Plan, lateMs: number | undefined): number {
    const soon = moving || scaleOut !== undefined || scaleIn.cordon.length > 0;
    // Adds slack so that the deadline has passed.
    const dueMs = dueAt === undefined ? RECHECK_MS : Math.max(0, dueAt - this.#options.now()) + 50;
    return Math.min(dueMs, lateMs ?? RECHECK_MS, soon ? RECHECK_SOON_MS : RECHECK_MS);
  }

  /** Uncordons the nodes of a deleted pool. Deleted pools of other installations are not visible here. */
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
