/** Faults of pods, Jobs and resources: lost, deleted, duplicated or stuck in deletion. */
import { setTimeout as wait } from 'node:timers/promises';
import { eventually, type KubeObject } from '../../cluster/kube-http.ts';
import { collection } from '../../kubernetes-contract/builders.ts';
import type { Fault, Round } from './round.ts';

/** The Job controller waits 10 s before it creates another pod of an index. */
const WITHIN = 25;

function pods(name: string, run: (round: Round) => Promise<void>): Fault {
  return { name, needs: 'product', within: WITHIN, run };
}

const onePod = async (round: Round, id: string, step: string): Promise<KubeObject> =>
  eventually(`a pod of ${step} runs`, async () => (await round.podsOf(id, step))[0]);

const evict = (round: Round, { metadata }: KubeObject) =>
  round.kube.create(`${round.path('pods', metadata.name)}/eviction`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: metadata.name, namespace: metadata.namespace },
  });

const setFinalizers = (round: Round, path: string, finalizers: string[]) =>
  round.kube.call('PATCH', path, { metadata: { finalizers } }, 'application/merge-patch+json').catch(() => undefined);

/** A finalizer of a missing controller. It is removed at the end of the round at the latest. */
async function addStuckFinalizer(round: Round, path: string): Promise<() => Promise<void>> {
  const { metadata } = await round.kube.get(path);
  const before: string[] = metadata.finalizers ?? [];
  await setFinalizers(round, path, [...before, 'example.org/stuck']);
  const lift = async () => {
    const now = await round.kube.get(path).catch(() => undefined);
    const left = (now?.metadata.finalizers ?? []).filter((one: string) => one !== 'example.org/stuck');
    if (now) await setFinalizers(round, path, left);
  };
  round.afterwards(lift);
  return lift;
}

export const POD_FAULTS: Fault[] = [
  pods('pod evicted', async (round) => {
    const tasks = await round.launchHeld('cohort');
    for (const { id } of tasks) await evict(round, await onePod(round, id, 'cohort'));
    await round.lifted();
    round.release('cohort');
  }),
  pods('pod killed for its memory', async (round) => {
    const tasks = await round.launchHeld('cohort', 2, { repeats: true });
    for (const { id } of tasks) {
      const { metadata, status } = await onePod(round, id, 'cohort');
      const [container] = status.containerStatuses;
      const at = { startedAt: status.startTime, finishedAt: status.startTime };
      const state = { terminated: { exitCode: 137, reason: 'OOMKilled', ...at } };
      await round.kube.merge(`${round.path('pods', metadata.name)}/status`, {
        status: { phase: 'Failed', containerStatuses: [{ ...container, ready: false, state }] },
      });
    }
    await round.lifted();
    round.release('cohort');
  }),
  pods('the same index started twice', async (round) => {
    for (const step of ['reads', 'call']) {
      round.lab.tell('twice', step);
      round.afterwards(() => round.lab.untell('twice', step));
    }
    const task = await round.launch();
    await round.lab.started(task.id, 'cohort', 1);
    await round.lifted();
  }),
  pods('Job deleted by hand', async (round) => {
    const tasks = await round.launchHeld('reads', 2, { repeats: true });
    for (const { id } of tasks)
      await round.kube.ok('DELETE', round.path('jobs', `${id}-reads-1`), { propagationPolicy: 'Background' });
    await round.lifted();
    round.release('reads');
  }),
  pods('resource deleted by hand', async (round) => {
    const [one] = await round.launchHeld('reads');
    const path = `${collection('AnalysisTask', round.product.namespace)}/${one!.id}`;
    Object.assign(one!, { end: 'aborted', deleted: true });
    await round.kube.ok('DELETE', path, { propagationPolicy: 'Background' });
    await round.lifted();
    round.release('reads');
  }),
  pods('Job deleted by hand that a finalizer keeps', async (round) => {
    const [one] = await round.launchHeld('reads', 1, { repeats: true });
    const path = round.path('jobs', `${one!.id}-reads-1`);
    await addStuckFinalizer(round, path);
    await round.kube.ok('DELETE', path, { propagationPolicy: 'Background' });
    await round.lifted();
    round.release('reads');
  }),
  pods('resource deleted by hand that a finalizer keeps for 5 s', async (round) => {
    const [one] = await round.launchHeld('reads');
    const path = `${collection('AnalysisTask', round.product.namespace)}/${one!.id}`;
    const lift = await addStuckFinalizer(round, path);
    Object.assign(one!, { end: 'aborted', deleted: true });
    await round.kube.ok('DELETE', path, { propagationPolicy: 'Background' });
    await eventually('its pods ended although it is still there', async () => {
      return (await round.podsOf(one!.id, 'reads')).length === 0;
    });
    await wait(5000);
    await lift();
    await round.lifted();
    round.release('reads');
  }),
  pods('pod evicted that a finalizer keeps', async (round) => {
    const [one] = await round.launchHeld('cohort', 1);
    const pod = await onePod(round, one!.id, 'cohort');
    await addStuckFinalizer(round, round.path('pods', pod.metadata.name));
    await evict(round, pod);
    await round.lifted();
    round.release('cohort');
  }),
  pods('node drained', async (round) => {
    const [one] = await round.launchHeld('cohort', 1);
    const node = `/api/v1/nodes/${(await onePod(round, one!.id, 'cohort')).spec.nodeName}`;
    round.afterwards(() => round.kube.merge(node, { spec: { unschedulable: null } }));
    await round.kube.merge(node, { spec: { unschedulable: true } });
    for (const pod of await round.podsOf(one!.id, 'cohort'))
      if (node.endsWith(`/${pod.spec.nodeName}`)) await evict(round, pod);
    await round.lifted();
    round.release('cohort');
  }),
];
