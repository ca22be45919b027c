import fc from 'fast-check';
import { ago } from '../testing/task-builders.ts';
import { amounts, aPod, inputOf, type NodeSetup, type PoolSetup } from '../testing/workers.ts';
import { NOTHING, quantitiesOf } from './amounts.ts';
import { place } from './demand.ts';
import type { WorkerPod } from './facts.ts';
import { plan } from './pool-plan.ts';

const pods = (prefix: string, most: number): fc.Arbitrary<WorkerPod[]> =>
  fc
    .array(fc.record({ cores: fc.integer({ min: 1, max: 10 }), gib: fc.integer({ min: 1, max: 10 }) }), {
      maxLength: most,
    })
    .map((all) =>
      all.map(({ cores, gib }, i) =>
        aPod(`${prefix}${i}`, 1, {
          created: ago(1000 - i),
          requests: { ...amounts(cores, gib, 1), 'ephemeral-storage': 0 },
        }),
      ),
    );

const seconds = fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined });
const node = (i: number): fc.Arbitrary<NodeSetup> =>
  fc
    .record({
      pods: pods(`r${i}-`, 3),
      idle: seconds,
      cordoned: seconds,
      marked: seconds,
      removing: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined, freq: 4 }),
      ready: fc.boolean(),
      deleting: fc.boolean(),
      foreign: fc.boolean(),
    })
    .map(({ ready, deleting, foreign, removing, ...setup }) => ({
      ...setup,
      ...(setup.cordoned !== undefined && removing !== undefined && { removing }),
      name: `n${i}`,
      node: { ready: ready || i % 2 === 0 },
      machine: { deleting: deleting && i % 3 === 0 },
      pods: foreign && i % 2 === 0 ? [aPod(`x${i}`, 1, { queue: '' })] : setup.pods,
    })) as fc.Arbitrary<NodeSetup>;

const pool: fc.Arbitrary<PoolSetup> = fc
  .record({
    nodes: fc
      .integer({ min: 0, max: 6 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => node(i)))),
    waiting: pods('w', 12),
    replicas: fc.integer({ min: 0, max: 8 }),
    min: fc.integer({ min: 0, max: 5 }),
    over: fc.integer({ min: 0, max: 5 }),
    plain: fc.boolean(),
    known: fc.boolean(),
    settled: fc.boolean(),
    idleSeconds: fc.constantFrom(0, 600),
  })
  .map(({ min, over, plain, known, idleSeconds, ...setup }) => ({
    ...setup,
    spec: { min, max: min + over, idleSeconds },
    ...(known && { before: { nodeOffer: quantitiesOf(amounts(8)) } }),
    ...(plain && { machines: null }),
  }));

const RUNS = { numRuns: 1000 };

test('[K8S-24] desired is always between min and max, and a requested number is never above max or below the previous one', () => {
  fc.assert(
    fc.property(pool, (setup) => {
      const input = inputOf(setup);
      const { desired, scaleOut } = plan(input);
      expect(desired).toBeGreaterThanOrEqual(input.spec.min);
      expect(desired).toBeLessThanOrEqual(input.spec.max);
      if (scaleOut === undefined) return;
      expect(scaleOut).toBeGreaterThan(input.replicas);
      expect(scaleOut).toBeLessThanOrEqual(input.spec.max);
    }),
    RUNS,
  );
});

test('[K8S-24] one more stage pod never reduces the number of nodes', () => {
  fc.assert(
    fc.property(pool, pods('later', 4), (setup, later) => {
      const more = later.map((pod) => ({ ...pod, created: ago(0) }));
      const waiting = setup.waiting ?? [];
      const without = plan(inputOf(setup));
      const withThem = plan(inputOf({ ...setup, waiting: [...waiting, ...more] }));
      expect(withThem.desired).toBeGreaterThanOrEqual(without.desired);
      const asked = (result: typeof without) => result.scaleOut ?? setup.replicas ?? 0;
      expect(asked(withThem)).toBeGreaterThanOrEqual(asked(without));
    }),
    RUNS,
  );
});

test('[K8S-25] a node with a pod is never cordoned or removed, nor one that is not cordoned and settled', () => {
  fc.assert(
    fc.property(pool, (setup) => {
      const input = inputOf(setup);
      const { scaleIn } = plan(input);
      const views = new Map(input.views.map((view) => [view.node.name, view]));
      for (const name of [...scaleIn.cordon, ...scaleIn.remove]) expect(views.get(name)?.idle).toBe(true);
      for (const name of scaleIn.remove) expect(views.get(name)?.node.cordoned).toBe(true);
      // At most the named nodes leave; with a plain scale target only when every node may leave.
      if (input.machines) expect(input.replicas - scaleIn.replicas).toBe(scaleIn.remove.length);
      else if (scaleIn.replicas < input.replicas) expect(input.views.every(({ idle }) => idle)).toBe(true);
      expect(scaleIn.replicas).toBeGreaterThanOrEqual(Math.min(input.spec.min, input.replicas));
    }),
    RUNS,
  );
});

test('pods that were assigned to a node fit there together', () => {
  fc.assert(
    fc.property(pods('w', 20), fc.integer({ min: 0, max: 4 }), (waiting, count) => {
      const rooms = Array.from({ length: count }, (_, i) => ({ node: `n${i}`, free: amounts(4 + i) }));
      const { of, tooLarge, arriving, more } = place(waiting, rooms, 2, amounts(8), 100);
      for (const { node, free } of rooms) {
        const here = waiting.filter(({ key }) => of.get(key) === node);
        expect(here.reduce((sum, { requests }) => sum + requests.cpu, 0)).toBeLessThanOrEqual(free.cpu);
        expect(here.reduce((sum, { requests }) => sum + requests.memory, 0)).toBeLessThanOrEqual(free.memory);
      }
      const rest = waiting.filter((pod) => !of.has(pod.key) && !tooLarge.includes(pod));
      const cpu = rest.reduce((sum, { requests }) => sum + requests.cpu, NOTHING.cpu);
      expect(arriving + more).toBeGreaterThanOrEqual(Math.ceil(cpu / amounts(8).cpu));
      expect(arriving + more).toBeLessThanOrEqual(rest.length);
    }),
    RUNS,
  );
});
