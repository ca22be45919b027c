import fc from 'fast-check';
import { SimulatedCluster } from '../testing/simulated-cluster.ts';

const NO_LIMITS = { groupPods: 0, totalPods: 0, groupWeights: {} };
const run = (cluster: SimulatedCluster, ticks: number): void => {
  for (let i = 0; i < ticks; i++) {
    cluster.tick();
    cluster.pass();
  }
};

test('without limits every task starts immediately with all its pods', () => {
  const cluster = new SimulatedCluster(NO_LIMITS, 5);
  for (let i = 0; i < 50; i++) cluster.launch('a', [96]);
  cluster.tick();
  expect(cluster.pods()).toBe(50 * 96);
});

test('a group stays within its limit, and its tasks run one after the other instead of sharing single pods', () => {
  const cluster = new SimulatedCluster({ ...NO_LIMITS, groupPods: 96 }, 5);
  for (let i = 0; i < 1_000; i++) cluster.launch('a', [96]);
  cluster.tick();
  expect([cluster.pods(), cluster.running('a')]).toEqual([96, 1]);
  run(cluster, 20);
  expect(cluster.pods()).toBeLessThanOrEqual(96);
  expect(cluster.running('a')).toBeLessThanOrEqual(2);
  expect(cluster.started).toEqual(['a-0', 'a-1', 'a-2', 'a-3', 'a-4'].slice(0, cluster.started.length));
});

test('a task of another group starts immediately and gets the next free pods', () => {
  const cluster = new SimulatedCluster({ ...NO_LIMITS, totalPods: 20 }, 100);
  for (let i = 0; i < 1_000; i++) cluster.launch('a', [8]);
  cluster.tick();
  cluster.pass();
  expect([cluster.pods(), cluster.running('a')]).toEqual([20, 3]);
  const b = cluster.launch('b', [4]);
  cluster.tick();
  expect([cluster.pods('a'), cluster.podsOf(b)]).toEqual([20, 1]);
  const seen: number[][] = [];
  for (let i = 0; i < 5; i++) {
    cluster.endOne('a');
    cluster.tick();
    cluster.pass();
    seen.push([cluster.pods('a'), cluster.podsOf(b)]);
  }
  expect(seen).toEqual([
    [19, 1],
    [18, 2],
    [17, 3],
    [16, 4],
    [16, 4],
  ]);
  expect(cluster.killed).toEqual([]);
});

test('unused shares are lent, and returned as the pods of the others end', () => {
  const cluster = new SimulatedCluster({ ...NO_LIMITS, totalPods: 12 }, 4);
  for (let i = 0; i < 100; i++) cluster.launch('a', [6]);
  run(cluster, 2);
  expect(cluster.pods('a')).toBe(12);
  for (let i = 0; i < 100; i++) cluster.launch('b', [6]);
  run(cluster, 12);
  cluster.tick();
  expect([cluster.pods('a'), cluster.pods('b')]).toEqual([6, 6]);
});

test('pods follow the weights of the groups, in any order of launch', () => {
  const cluster = new SimulatedCluster({ ...NO_LIMITS, totalPods: 12, groupWeights: { b: 2 } }, 3);
  for (let i = 0; i < 200; i++) cluster.launch('a', [1]);
  for (let i = 0; i < 200; i++) cluster.launch('b', [1]);
  run(cluster, 12);
  cluster.tick();
  expect([cluster.pods('a'), cluster.pods('b')]).toEqual([4, 8]);
  expect(cluster.started.slice(0, 6).map((key) => key[0])).toEqual(['a', 'b', 'b', 'a', 'b', 'b']);
});

test('a lowered limit does not end running pods', () => {
  const cluster = new SimulatedCluster({ ...NO_LIMITS, groupPods: 10 }, 50);
  for (let i = 0; i < 10; i++) cluster.launch('a', [20]);
  run(cluster, 2);
  cluster.limits = { ...NO_LIMITS, groupPods: 4 };
  cluster.tick();
  expect([cluster.pods(), cluster.killed]).toEqual([10, []]);
  for (let i = 0; i < 8; i++) {
    cluster.endOne('a');
    cluster.tick();
    cluster.pass();
  }
  expect([cluster.pods(), cluster.running('a')]).toEqual([4, 1]);
});

test('with any launches, the limits hold, no work is lost and everything finishes', () => {
  const launches = fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 15 }),
      group: fc.constantFrom('a', 'b', 'c', 'd'),
      steps: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const limits = fc.record({
    groupPods: fc.integer({ min: 0, max: 8 }),
    totalPods: fc.integer({ min: 0, max: 12 }),
    groupWeights: fc.constant({ a: 3 }),
  });
  fc.assert(
    fc.property(launches, limits, fc.integer({ min: 2, max: 5 }), (all, asked, podTicks) => {
      const cluster = new SimulatedCluster(asked, podTicks);
      while (cluster.ticks < 2_000) {
        for (const { at, group, steps } of all) if (at === cluster.ticks) cluster.launch(group, steps);
        cluster.tick();
        for (const group of ['a', 'b', 'c', 'd'])
          expect(cluster.pods(group)).toBeLessThanOrEqual(asked.groupPods || Number.POSITIVE_INFINITY);
        // Each group may exceed it by its one guaranteed pod.
        expect(cluster.pods()).toBeLessThanOrEqual(asked.totalPods ? asked.totalPods + 4 : Number.POSITIVE_INFINITY);
        cluster.pass();
        if (cluster.ticks > 15 && cluster.isDone) break;
      }
      expect(cluster.isDone).toBe(true);
      expect(cluster.killed.every((age) => age === 0)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
