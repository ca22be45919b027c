/** Faults of nodes: a machine is lost while a step runs on it. */
import { eventually, type KubeObject } from '../../cluster/kube-http.ts';
import type { Fault, Round } from './round.ts';

/** Stops the node of the task's running pod and returns its name. */
async function loseNode(round: Round, id: string): Promise<string> {
  const pod = await eventually('a pod of cohort runs', async () => (await round.podsOf(id, 'cohort'))[0]);
  const node = pod.spec.nodeName as string;
  round.nodes.get(node)!.vanish();
  round.nodes.delete(node);
  // Deletes its Node object, if it still exists, so that its pods are removed.
  round.afterwards(() => round.kube.call('DELETE', `/api/v1/nodes/${node}`));
  return node;
}

/** In npm test an unreachable node is tolerated for 1 s. */
async function tolerateLess(round: Round, { metadata, spec }: KubeObject): Promise<void> {
  const tolerations = spec.tolerations.map((toleration: KubeObject) => ({
    ...toleration,
    ...(toleration.tolerationSeconds > 1 && { tolerationSeconds: 1 }),
  }));
  await round.kube.merge(round.path('pods', metadata.name), { spec: { tolerations } });
}

export const NODE_FAULTS: Fault[] = [
  {
    name: 'node deleted with a step on it',
    needs: 'node',
    // The control plane tolerates a missing node for 40 s and checks every 20 s.
    within: 90,
    run: async (round) => {
      const [one] = await round.launchHeld('cohort', 1);
      const node = await loseNode(round, one!.id);
      await round.kube.ok('DELETE', `/api/v1/nodes/${node}`);
      await round.lifted();
      round.release('cohort');
    },
  },
  {
    name: 'node unreachable with a step on it',
    needs: 'node',
    // 10 s until the control plane of this test counts it as unreachable, 60 s tolerated, 30 s of grace, 5 s until this
    // operator marks the pod as lost, then the Job controller's own wait.
    within: 140,
    run: async (round) => {
      const [one] = await round.launchHeld('cohort', 1);
      await loseNode(round, one!.id);
      await round.lifted();
      round.release('cohort');
      if (!round.long) for (const pod of await round.podsOf(one!.id, 'cohort')) await tolerateLess(round, pod);
    },
  },
];
