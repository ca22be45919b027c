/** One group's many tasks do not keep another group's task from starting. `npm run bench:fair-share` plays a thousand. */
import { readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { PLACES, playFairShare } from './fair-share.ts';

const LIMIT_MS = 240_000;
const TASKS = 40;

describeOnCluster('fair shares of groups on a real control plane', (binaries) => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startWith(binaries, readDefinitions());
  }, LIMIT_MS);
  afterAll(() => plane?.stop());

  test(
    'a task of another group has its Job at once on a full cluster, and its pods take the next places that become free',
    async () => {
      const { idleMs, busyMs, mostPods, next, writes, waiting } = await playFairShare(plane, 'fair', TASKS);
      expect(busyMs).toBeLessThanOrEqual(2 * idleMs + 1_000);
      expect(next[0]).toBe('b');
      // A pod of the other group that already waited in the scheduler may come between.
      expect(next.slice(0, 4).filter((group) => group === 'b')).toHaveLength(2);
      // One more than the limit is the first pod of a group that has none.
      expect(mostPods).toBeLessThanOrEqual(PLACES + 2);
      // 20 places are three tasks of eight pods; each of the others was written when it began to wait, and seldom again.
      expect(waiting).toEqual({ ClusterAtLimit: TASKS - 3 });
      expect(writes).toBeLessThanOrEqual(TASKS * 4);
    },
    LIMIT_MS,
  );
});
