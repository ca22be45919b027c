/**
 * Two groups on a full cluster: A launches many tasks, then B launches one. The test itself writes the status of the
 * pods on one simulated node, so it decides when a place becomes free.
 */
import { aSample, aTask, collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace } from '../kubernetes-contract/server.ts';
import type { ControlPlane } from './control-plane.ts';
import { aHandPool, HandPlayed, makeHandNode } from './hand-played.ts';
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';
import { startOperator } from './operator-process.ts';
import { makeStorageClaim } from './played-task.ts';
import { operatorKubeconfig } from './privileges.ts';

const NODE = 'shared';
/** Number of pods that fit on the node, and limit of all groups. */
export const PLACES = 20;
const SAMPLES = 8;
/** The simulated node has 16 processors. */
const CPU = '0.8';
const LOOK_MS = 10;

export interface FairShare {
  /** Time from the creation of a task to its first Job, in an idle cluster and after A's launches. */
  idleMs: number;
  busyMs: number;
  /** Duration of all creates of A. */
  launchMs: number;
  /** Highest number of unfinished pods at a time. */
  mostPods: number;
  /** Owners of the pods that got a place after a pod of A ended, in order. */
  next: string[];
  /** Status writes of A's tasks, and the number of waiting tasks by reason. */
  writes: number;
  waiting: Record<string, number>;
}

export async function playFairShare(plane: ControlPlane, namespace: string, tasks: number): Promise<FairShare> {
  const { kube } = plane;
  await makeNamespace(kube, namespace);
  await makeStorageClaim(kube, namespace);
  await kube.create(collection('WorkerPool', namespace), aHandPool(NODE));
  const heartbeat = await makeHandNode(kube, NODE);
  const operator = await startOperator(await operatorKubeconfig(plane, namespace, { workers: true }), namespace, {
    SEQPANEL_PIPELINES_DIR: '',
    SEQPANEL_WORKERS: 'on',
    SEQPANEL_GROUP_PODS: '0',
    SEQPANEL_TOTAL_PODS: `${PLACES}`,
  });
  const kubelet = playKubelet(kube, namespace);
  try {
    const idle = new HandPlayed(kube, namespace, 'idle');
    await idle.create(1, { group: 'idle', queue: `${NODE}-queue` }, { resources: { cpu: CPU, memory: '64Mi' } });
    const launch = (name: string, group: string, samples: number) =>
      kube.create(
        collection('AnalysisTask', namespace),
        aTask(name, {
          group,
          queue: `${NODE}-queue`,
          pipeline: { name: 'idle-1.0.0', version: '1.0.0' },
          samples: Array.from({ length: samples }, (_, i) => aSample(`S${i + 1}`)),
        }),
      );
    const toFirstJob = async (name: string, group: string, samples: number): Promise<number> => {
      const began = performance.now();
      await launch(name, group, samples);
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}-reads-1`;
      while ((await kube.call('GET', path)).status !== 200) await new Promise((go) => setTimeout(go, LOOK_MS));
      return performance.now() - began;
    };
    await idle.job('reads-1');
    const idleMs = await toFirstJob('alone', 'idle', 1);
    for (const name of ['idle', 'alone'])
      await kube.merge(`${collection('AnalysisTask', namespace)}/${name}`, { spec: { abort: true } });
    await eventually('an empty cluster', async () => kubelet.pods().length === 0, 60);

    const began = performance.now();
    const names = Array.from({ length: tasks }, (_, i) => `a-${String(i).padStart(4, '0')}`);
    const left = [...names];
    const lane = async () => {
      for (let name = left.shift(); name; name = left.shift()) await launch(name, 'a', SAMPLES);
    };
    await Promise.all(Array.from({ length: 4 }, lane));
    const launchMs = performance.now() - began;
    await eventually('a full cluster', async () => kubelet.running().length === PLACES, 120);
    const busyMs = await toFirstJob('b', 'b', 2);
    await eventually('the pod of b waits', async () => kubelet.pods().some((pod) => ownerOf(pod) === 'b'), 60);

    const next: string[] = [];
    for (let i = 0; i < 3; i++) {
      const before = new Set(kubelet.running().map(({ metadata }) => metadata.uid as string));
      // Ends a pod of a task that has all its pods, because another task's Job would replace it before the operator can
      // assign the place.
      const counts = Map.groupBy(kubelet.running(), ownerOf);
      const whole = [...counts].find(([owner, pods]) => owner.startsWith('a-') && pods.length >= SAMPLES - i)?.[1][0];
      if (!whole) throw new Error('no task of a has all its pods');
      await kubelet.end(whole);
      const came = await eventually(
        'another pod in its place',
        async () => kubelet.running().find(({ metadata }) => !before.has(metadata.uid)),
        60,
      );
      next.push(ownerOf(came));
    }
    const statusesOf = async (): Promise<KubeObject[]> =>
      (await kube.get(collection('AnalysisTask', namespace))).items.filter(({ metadata }: KubeObject) =>
        metadata.name.startsWith('a-'),
      );
    const reasonsOf = (statuses: KubeObject[]): string[] =>
      statuses.flatMap(({ status }) => {
        const admitted = status?.conditions?.find(({ type }: KubeObject) => type === 'Admitted');
        return admitted?.status === 'False' ? [admitted.reason] : [];
      });
    // At most ten waiting tasks per second get their reason written.
    await eventually(
      'a reason at each task that waits',
      async () => reasonsOf(await statusesOf()).length >= tasks - 3,
      120,
    );
    const statuses = await statusesOf();
    const waiting: Record<string, number> = {};
    for (const reason of reasonsOf(statuses)) waiting[reason] = (waiting[reason] ?? 0) + 1;
    const writes = statuses.reduce((sum: number, { status }: KubeObject) => sum + (status?.revision ?? 0), 0);
    return { idleMs, busyMs, launchMs, mostPods: kubelet.most(), next, writes, waiting };
  } finally {
    await kubelet.stop();
    await operator.end();
    heartbeat();
  }
}

const ownerOf = ({ metadata }: KubeObject): string => metadata.labels['seqpanel.dev/task'];

/** Runs every pod that has a node until it is ended, and releases deleted ones. */
function playKubelet(kube: KubeHttp, namespace: string) {
  const hand = new HandPlayed(kube, namespace, 'kubelet');
  let pods: KubeObject[] = [];
  let most = 0;
  let ended = false;
  const live = () => pods.filter(({ status }) => status.phase === 'Pending' || status.phase === 'Running');
  const working = (async () => {
    while (!ended) {
      pods = (await kube.get(`/api/v1/namespaces/${namespace}/pods`)).items;
      most = Math.max(most, live().length);
      for (const pod of live()) {
        if (pod.metadata.deletionTimestamp) await kube.call('DELETE', hand.podPath(pod), { gracePeriodSeconds: 0 });
        else if (pod.spec.nodeName && pod.status.phase === 'Pending') await hand.run(pod).catch(() => undefined);
      }
      await new Promise((go) => setTimeout(go, 50));
    }
  })();
  return {
    pods: live,
    running: () => live().filter(({ status, metadata }) => status.phase === 'Running' && !metadata.deletionTimestamp),
    most: () => most,
    end: (pod: KubeObject) => hand.end(pod, 0, 'Completed', '{"outcome":"done"}'),
    stop: async () => {
      ended = true;
      await working;
    },
  };
}
