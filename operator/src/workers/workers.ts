/** Wires the worker pools: what is watched and which change enqueues which pool. Scaling out needs no polling. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { type KubeObject, NODES, type Resource, type Stored, WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import type { Change, Reflector } from '@seqpanel/crds/kube/reflector.ts';
import type { Store } from '@seqpanel/crds/kube/store.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { WorkQueue, WorkResult } from '../kube/queue.ts';
import { providersOn } from './choose-provider.ts';
import { Claims } from './claims.ts';
import { isUnread, type JobRecord, type WorkerPod, workerNode, workerPod } from './facts.ts';
import { ALL_PODS } from './node-acts.ts';
import { WorkerPoolReconciler } from './reconciler.ts';

export interface WorkersOptions {
  client: KubeClient;
  /** Creates a reflector that the operator runs. */
  watch: <T extends KubeObject, S>(
    resource: Resource<T>,
    onChange: (change: Change<S>) => void,
    options: { keep?: (object: Stored<T>) => S; indexes?: Record<string, (object: S) => string[]> },
  ) => Reflector<T, S>;
  /** Creates a queue that the operator runs. */
  queue: (kind: string, reconcile: (key: string, signal: AbortSignal) => Promise<WorkResult>) => WorkQueue;
  /** By namespace/name. */
  job: (key: string) => JobRecord | undefined;
  events: EventRecorder;
  now: () => number;
}

/** Pods change in bursts, so changes within this time are handled together. */
const GATHER_MS = 100;

export function createWorkers({ client, watch, queue, job, events, now }: WorkersOptions): {
  pools: Store<Stored<WorkerPool>>;
} {
  const pools = watch<WorkerPool, Stored<WorkerPool>>(WORKER_POOLS, onPool, {});
  const nodes = watch(
    NODES,
    ({ type, key, object, previous }) => {
      if (type === 'modified' && JSON.stringify(object) === JSON.stringify(previous)) return;
      const known = [...reconciler.poolsOf(key), ...(object.cordonedBy ? [object.cordonedBy] : [])];
      // Only the targets show which pool a new node belongs to.
      const keys = known.length > 0 ? known : pools.store.keys();
      for (const pool of keys) poolQueue.addAfter(pool, GATHER_MS);
    },
    { keep: workerNode },
  );
  const pods = watch(ALL_PODS, onPod, {
    keep: workerPod,
    indexes: { node: ({ node }) => (node ? [node] : []), queue: (pod) => (pod.queue ? [pod.queue] : []) },
  });
  const reconciler = new WorkerPoolReconciler({
    client,
    choose: providersOn(client),
    claims: new Claims(client, now),
    pools: pools.store,
    nodes: nodes.store,
    pods: pods.store,
    isUnread: (pod) => isUnread(pod, job(`${pod.namespace}/${pod.job}`)),
    events,
    now,
  });
  const poolQueue = queue(WORKER_POOLS.kind, (key, signal) => reconciler.reconcile(key, signal));

  function onPool({ type, key, object, previous }: Change<Stored<WorkerPool>>): void {
    // The pool's own status writes need no round.
    if (type === 'modified' && object.metadata.generation === previous?.metadata.generation) return;
    poolQueue.add(key);
    // The pool may have blocked a younger one.
    if (type !== 'synced') for (const other of pools.store.keys()) poolQueue.add(other);
  }

  function onPod({ object, previous }: Change<WorkerPod>): void {
    const nodesOf = new Set([object.node, previous?.node].filter((node) => node !== undefined));
    const keys = new Set([...nodesOf].flatMap((node) => reconciler.poolsOf(node)));
    if (object.queue)
      for (const key of pools.store.keys()) {
        const pool = pools.store.get(key);
        if (pool?.spec.queue === object.queue && pool.metadata.namespace === object.namespace) keys.add(key);
      }
    for (const key of keys) poolQueue.addAfter(key, GATHER_MS);
  }

  return { pools: pools.store };
}
