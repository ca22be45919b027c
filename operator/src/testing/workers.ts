/** For tests only: builds nodes, pods and machines of a pool. */

import type { Amounts } from '../workers/amounts.ts';
import type { Machine, WorkerNode, WorkerPod } from '../workers/facts.ts';
import { viewNode } from '../workers/node-view.ts';
import { type Plan, type PlanInput, plan } from '../workers/pool-plan.ts';
import type { WorkerRow } from '../workers/rows.ts';
import { ago, NOW } from './task-builders.ts';

export const POOL = 'test/pool';
const GIB = 2 ** 30;
export const amounts = (cores: number, gib = cores, pods = 110): Amounts => ({
  cpu: cores * 1000,
  memory: gib * GIB,
  'ephemeral-storage': 100 * GIB,
  pods,
});

/** A stage pod of the queue that requests `cores` and as many GiB. */
export const aPod = (name: string, cores = 1, more: Partial<WorkerPod> = {}): WorkerPod => ({
  key: `test/${name}`,
  namespace: 'test',
  queue: 'fast',
  task: 't1',
  job: 't1-reads-1',
  created: ago(60),
  phase: 'Pending',
  disrupted: false,
  deleting: false,
  daemon: false,
  gated: false,
  requests: { ...amounts(cores), 'ephemeral-storage': 0, pods: 1 },
  ...more,
});

export interface NodeSetup {
  name: string;
  node?: Partial<WorkerNode>;
  pods?: WorkerPod[];
  /** Its previous register status; null: none yet. */
  before?: string | null;
  /** Seconds since the status shows it idle. */
  idle?: number;
  /** Seconds since this pool cordoned it. */
  cordoned?: number;
  /** Seconds since its machine was selected to be removed. */
  marked?: number;
  /** Seconds since the number was lowered for it. */
  removing?: number;
  machine?: Partial<Machine>;
}

export interface PoolSetup {
  nodes?: NodeSetup[];
  waiting?: WorkerPod[];
  replicas?: number;
  spec?: Partial<PlanInput['spec']>;
  before?: PlanInput['before'];
  /** Machines besides those of the nodes; null: the target does not list machines. */
  machines?: Machine[] | null;
  settled?: boolean;
}

export const aMachine = (name: string, age: number, more: Partial<Machine> = {}): Machine => ({
  name,
  created: ago(age),
  deleting: false,
  ...more,
});

const nodeOf = ({ name, cordoned, removing, node }: NodeSetup): WorkerNode => ({
  name,
  labels: { pool: 'fast' },
  ready: true,
  cordoned: cordoned !== undefined,
  deleting: false,
  ...(cordoned !== undefined && { cordonedBy: POOL, cordonedAt: ago(cordoned) }),
  ...(removing !== undefined && { removingAt: ago(removing) }),
  allocatable: amounts(8),
  providerId: `cloud://${name}`,
  created: ago(5000),
  address: '192.0.2.7',
  ...node,
});

export function inputOf(setup: PoolSetup): PlanInput {
  const nodes = setup.nodes ?? [];
  const isOurs = (pod: WorkerPod): boolean => pod.queue === 'fast';
  const known = nodes.filter(({ before }) => before !== null);
  const rows: WorkerRow[] = known.map((each) => ({
    node: each.name,
    registerStatus: each.before ?? 'Ready',
    registerDate: nodeOf(each).created,
    ...(each.idle !== undefined && { idleSince: ago(each.idle) }),
  }));
  const machines = nodes.map((each) =>
    aMachine(`m-${each.name}`, 5000, {
      node: each.name,
      phase: 'Running',
      ...(each.marked !== undefined && { markedAt: ago(each.marked) }),
      ...each.machine,
    }),
  );
  return {
    key: POOL,
    spec: { min: 0, max: 10, idleSeconds: 600, registerTimeoutSeconds: 900, ...setup.spec },
    before: { workers: rows, ...setup.before },
    replicas: setup.replicas ?? nodes.length,
    ...(setup.machines !== null && { machines: [...machines, ...(setup.machines ?? [])] }),
    settled: setup.settled ?? true,
    views: nodes.map((each) => {
      const running = (each.pods ?? []).map((pod) => ({ ...pod, node: each.name, phase: 'Running' as const }));
      const deleting = each.machine?.deleting ?? false;
      return viewNode({ ...nodeOf(each), deleting }, running, isOurs, () => false);
    }),
    waiting: setup.waiting ?? [],
    now: NOW,
  };
}

export const planOf = (setup: PoolSetup): Plan => plan(inputOf(setup));
