/** Faults that need real pods, containers, kernel and node. */
import { setTimeout as wait } from 'node:timers/promises';
import { eventually, type KubeObject, type WatchEvent } from '../../cluster/kube-http.ts';
import { NODE } from '../../cluster/node/layout.ts';
import { collection } from '../../kubernetes-contract/builders.ts';
import type { FaultOf } from '../cluster/judged-round.ts';
import { fill } from '../cluster/small-disk.ts';
import type { Component } from './installed-product.ts';
import { firstOf, processesOf, signal, starve } from './pod-processes.ts';
import type { Parts, RealRound } from './real-round.ts';

export interface RealFault extends FaultOf<RealRound> {
  /** Scope of the fault: one product, or the node with all products. */
  needs: 'product' | 'node';
}

/** Time in which a deleted pod of ours is scheduled, started and ready again. */
const POD_AGAIN = 30;
const fault = (
  name: string,
  within: number,
  run: (round: RealRound) => Promise<void>,
  needs: RealFault['needs'] = 'product',
): RealFault => ({ name, within, run, needs });

const has = ({ object }: WatchEvent, condition: string): boolean =>
  object.status?.conditions?.some(({ type, status }: KubeObject) => type === condition && status === 'True') ?? false;
const jobs = ({ namespace }: RealRound) => `/apis/batch/v1/namespaces/${namespace}/jobs`;
const tasks = ({ namespace }: RealRound) => collection('AnalysisTask', namespace);

/** Launches a task and deletes the pods of a component at an event of the API server. */
const deletedAt = (
  name: string,
  component: Component,
  path: (round: RealRound) => string,
  moment: (event: WatchEvent) => boolean,
): RealFault =>
  fault(name, POD_AGAIN, async (round) => {
    const reached = round.deleteAt(component, path(round), moment);
    await Promise.all([reached, round.launch()]);
  });

/** Kills a program of the node while a step runs; the step continues and may end without it. */
const partKilled = (name: string, part: keyof Parts, seconds: number): RealFault =>
  fault(
    name,
    POD_AGAIN,
    async (round) => {
      await round.launchHeld('reads');
      round.afterwards(() => round.parts[part].start());
      await round.parts[part].kill();
      round.release();
      await wait(seconds * 1000);
      round.parts[part].start();
      await eventually(
        'the API server answers',
        async () => (await round.kube.call('GET', '/readyz')).status === 200,
        60,
      );
      await round.isBack();
    },
    'node',
  );

const PROCESSES: RealFault[] = [
  deletedAt('operator pod deleted by force when a Job is created', 'operator', jobs, ({ type }) => type === 'ADDED'),
  deletedAt('operator pod deleted by force when a Job has ended', 'operator', jobs, (event) => has(event, 'Complete')),
  deletedAt(
    'operator pod deleted by force when the last Job has ended',
    'operator',
    jobs,
    (event) => event.object.metadata.name.endsWith('-report-1') && has(event, 'Complete'),
  ),
  fault('process of the leading operator killed', POD_AGAIN, async (round) => {
    await round.launchHeld('reads');
    const { metadata } = await round.product.leader();
    signal(processesOf(metadata.uid), 'SIGKILL');
    await round.lifted();
    round.release();
  }),
  deletedAt('api pod deleted by force at a launch', 'api', tasks, ({ type }) => type === 'ADDED'),
  deletedAt(
    "api pod deleted by force during the ingest of a task's results",
    'api',
    tasks,
    ({ object }) => object.status?.phase === 'Completed',
  ),
  fault('Postgres pod deleted by force', POD_AGAIN, async (round) => {
    await round.launchHeld('reads');
    await round.deletePodsOf('postgres');
    round.release();
    await round.isBack();
  }),
];

const NODE_PROGRAMS: RealFault[] = [
  partKilled('API server killed, back after 10 s', 'apiserver', 10),
  partKilled('kubelet killed, back after 10 s', 'kubelet', 10),
  partKilled('containerd killed, back after 5 s', 'containerd', 5),
];

const evict = (round: RealRound, { metadata }: KubeObject) =>
  round.kube.create(`${round.path('pods', metadata.name)}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: metadata.name, namespace: metadata.namespace },
  });

/** Waits until the kubelet reports that a pod's container ended for that reason. */
const ended = (round: RealRound, { metadata }: KubeObject, reason: string) =>
  eventually(
    `${metadata.name} ended as ${reason}`,
    async () => {
      const { status } = await round.kube.get(round.path('pods', metadata.name));
      return status.containerStatuses?.[0].state.terminated?.reason === reason;
    },
    30 * round.patience,
  );

const PODS: RealFault[] = [
  fault('pod evicted', POD_AGAIN, async (round) => {
    const { pod } = await round.launchHeld('cohort');
    await evict(round, pod);
    await round.lifted();
    round.release();
  }),
  fault('pod deleted by force while its program still runs', POD_AGAIN, async (round) => {
    const { pod } = await round.launchHeld('cohort');
    await round.deletePod(pod);
    await round.lifted();
    round.release();
  }),
  fault('container killed', POD_AGAIN, async (round) => {
    const { pod, processes } = await round.launchHeld('cohort', { repeats: true });
    signal([firstOf(processes)], 'SIGKILL');
    await ended(round, pod, 'Error');
    await round.lifted();
  }),
  fault('pod killed by the kernel for its memory', POD_AGAIN, async (round) => {
    const { pod, processes } = await round.launchHeld('cohort', { repeats: true });
    await starve(firstOf(processes));
    await ended(round, pod, 'OOMKilled');
    await round.lifted();
  }),
  fault(
    'node drained and back',
    60,
    async (round) => {
      const { pod } = await round.launchHeld('cohort');
      const node = `/api/v1/nodes/${NODE}`;
      round.afterwards(() => round.kube.merge(node, { spec: { unschedulable: null } }));
      // The operators' PodDisruptionBudget blocks the eviction of the second one, because there is no other node.
      const drained = round.product.drain(NODE, 20);
      await eventually(
        'the pod is told to go',
        async () => {
          const { status, body } = await round.kube.call('GET', round.path('pods', pod.metadata.name));
          return status === 404 || body.metadata.deletionTimestamp;
        },
        60 * round.patience,
      );
      round.release();
      await drained;
      await round.kube.merge(node, { spec: { unschedulable: null } });
      await round.isBack();
    },
    'node',
  ),
];

const STORAGE: RealFault[] = [
  fault('storage full while a step writes', 60, async (round) => {
    const { pod } = await round.launchHeld('reads');
    const room = fill(round, round.product.storageDir);
    round.release();
    await eventually(
      'the step failed on the full storage',
      async () => {
        const { status } = await round.kube.get(round.path('pods', pod.metadata.name));
        return status.phase === 'Failed';
      },
      60 * round.patience,
    );
    room();
    await round.lifted();
  }),
];

export const REAL_FAULTS: readonly RealFault[] = [...PROCESSES, ...NODE_PROGRAMS, ...PODS, ...STORAGE];
