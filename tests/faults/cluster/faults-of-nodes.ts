/** A machine is gone while a step runs on it. */
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../cluster/kube-http.ts';
import type { Fault, Round } from './round.ts';

/** The node of the task's running pod is no more; its name. */
async function loseNode(round: Round, id: string): Promise<string> {
  const pod = await eventually('a pod of cohort runs', async () => (await round.podsOf(id, 'cohort'))[0]);
  const node = pod.spec.nodeName as string;
  round.nodes.get(node)!.vanish();
  round.nodes.delete(node);
  // Its Node object, where it is still there, must not wait for pods for ever.
  round.afterwards(() => round.kube.call('DELETE', `/api/v1/nodes/${node}`));
  return node;
}

export const NODE_FAULTS: Fault[] = [
  {
    name: 'node deleted with a step on it',
    needs: 'node',
    // The control plane gives a node that is missing 40 s, and looks every 20 s.
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
    // 10 s until it counts as unreachable here, 60 s tolerated, 30 s of grace, 120 s until the pod is marked as lost.
    within: 260,
    run: async (round) => {
      const [one] = await round.launchHeld('cohort', 1);
      const node = await loseNode(round, one!.id);
      await round.lifted();
      round.release('cohort');
      if (round.long) return;
      // In npm test the pods are deleted at once, as the control plane does after the 70 s.
      await wait(1000);
      for (const { metadata, spec } of await round.podsOf(one!.id, 'cohort'))
        if (spec.nodeName === node) await round.kube.ok('DELETE', round.path('pods', metadata.name));
    },
  },
];
