/**
 * `npm run bench:fair-share`: group A launches a thousand tasks on a full cluster, then group B launches one. Exits
 * with 1 when B's first Job takes longer than twice its time on an idle cluster plus one second, or when B does not
 * get the next free places.
 */
import { startControlPlane } from '../cluster/control-plane.ts';
import { PLACES, playFairShare } from '../cluster/fair-share.ts';
import { readDefinitions } from '../kubernetes-contract/server.ts';

const TASKS = 1_000;

const plane = await startControlPlane(readDefinitions());
if ('skipped' in plane) {
  console.error(plane.skipped);
  process.exit(3);
}
try {
  const { idleMs, busyMs, launchMs, mostPods, next, writes, waiting } = await playFairShare(plane, 'fair', TASKS);
  const ms = (value: number) => `${Math.round(value)} ms`;
  console.log(
    `${TASKS} tasks of group a created in ${ms(launchMs)}; ${PLACES} places, most pods at a time ${mostPods}`,
  );
  console.log(`first Job of b: ${ms(busyMs)}, on an idle cluster ${ms(idleMs)}`);
  console.log(`places that became free went to: ${next.join(', ')}`);
  console.log(`tasks of a that wait: ${JSON.stringify(waiting)}; status writes of all of them: ${writes}`);
  if (busyMs > 2 * idleMs + 1_000 || next[0] !== 'b') process.exitCode = 1;
} finally {
  await plane.stop();
}
