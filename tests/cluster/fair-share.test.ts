/**
 * The many tasks of one group do not delay the start of another group's task. `npm run bench:fair-share` uses a
 * thousand.
 */
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
    'on a full cluster a task of another group gets its Job immediately, and its pods get the next free places',
    async () => {
      const { idleMs, busyMs, mostPods, next, writes, waiting } = await playFairShare(plane, 'fair', TASKS);
      expect(busyMs).toBeLessThanOrEqual(2 * idleMs + 1_000);
      expect(next[0]).toBe('b');
      // A pod of the first group that already waited in the scheduler may be placed in between.
      expect(next.slice(0, 4).filter((group) => group === 'b')).toHaveLength(2);
      // The limit may be exceeded by one: the first pod of a group that has none.
      expect(mostPods).toBeLessThanOrEqual(PLACES + 2);
      // 20 places are three tasks of eight pods. Each of the others is written when it starts to wait, and rarely
      // again.
      expect(waiting).toEqual({ ClusterAtLimit: TASKS - 3 });
      expect(writes).toBeLessThanOrEqual(TASKS * 4);
    },
    LIMIT_MS,
  );
});
