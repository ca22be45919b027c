import { ago, NOW } from '../testing/task-builders.ts';
import { aMachine, amounts, aPod, inputOf, type PoolSetup, planOf } from '../testing/workers.ts';
import { quantitiesOf } from './amounts.ts';
import { plan } from './pool-plan.ts';

const OFFER = { nodeOffer: quantitiesOf(amounts(8)) };
const pods = (count: number, cores = 4) => Array.from({ length: count }, (_, i) => aPod(`p${i}`, cores));

describe('[K8S-24] [K8S-24] number of nodes needed and requested', () => {
  const table: [string, PoolSetup, { desired: number; scaleOut?: number; overMax?: number }][] = [
    ['nothing runs or waits: min', { spec: { min: 0 } }, { desired: 0 }],
    ['min is above the need', { spec: { min: 2 } }, { desired: 2, scaleOut: 2 }],
    ['four pods of half a node', { waiting: pods(4), before: OFFER }, { desired: 2, scaleOut: 2 }],
    [
      'memory counts like processors',
      {
        waiting: [
          aPod('a', 1, { requests: { ...amounts(1, 7), pods: 1 } }),
          aPod('b', 1, { requests: { ...amounts(1, 7), pods: 1 } }),
        ],
        before: OFFER,
      },
      { desired: 2, scaleOut: 2 },
    ],
    [
      'the number of pods counts too',
      { waiting: pods(5, 0.1), before: { nodeOffer: { ...OFFER.nodeOffer, pods: '2' } } },
      { desired: 3, scaleOut: 3 },
    ],
    ['no node was ever seen: one, to learn its size', { waiting: pods(40) }, { desired: 1, scaleOut: 1 }],
    [
      'max limits the number',
      { waiting: pods(40), before: OFFER, spec: { max: 3 } },
      { desired: 3, scaleOut: 3, overMax: 0 },
    ],
    ['joining nodes are not requested twice', { waiting: pods(4), before: OFFER, replicas: 2 }, { desired: 2 }],
    [
      'one more is requested than are joining',
      { waiting: pods(5), before: OFFER, replicas: 2 },
      { desired: 3, scaleOut: 3 },
    ],
    [
      'room beside running pods is used first',
      { nodes: [{ name: 'a', pods: [aPod('r', 4)] }], waiting: pods(1) },
      { desired: 1 },
    ],
    [
      'running pods stay where they are, though fewer nodes would suffice',
      {
        nodes: [
          { name: 'a', pods: [aPod('r', 1)] },
          { name: 'b', pods: [aPod('s', 1)] },
        ],
      },
      { desired: 2 },
    ],
    [
      'a full pool and a waiting pod',
      { nodes: [{ name: 'a', pods: pods(2) }], waiting: [aPod('w', 4)] },
      { desired: 2, scaleOut: 2 },
    ],
    ['an idle node is enough', { nodes: [{ name: 'a' }], waiting: pods(2) }, { desired: 1 }],
    [
      'a node that is not ready has no room',
      { nodes: [{ name: 'a', node: { ready: false } }], waiting: pods(1), before: OFFER },
      { desired: 1, scaleOut: 2 },
    ],
    [
      'a node that has joined and is not ready yet still counts as joining',
      { nodes: [{ name: 'a', before: null, node: { ready: false } }], waiting: pods(2), before: OFFER },
      { desired: 1 },
    ],
    [
      'an administrator has cordoned it: no room',
      { nodes: [{ name: 'a', node: { cordoned: true } }], waiting: pods(1), before: OFFER },
      { desired: 1, scaleOut: 2 },
    ],
    [
      'it is being removed: no room, and its number is already lowered',
      { nodes: [{ name: 'a', cordoned: 20, removing: 5 }], replicas: 0, waiting: pods(1), before: OFFER },
      { desired: 1, scaleOut: 1 },
    ],
    [
      'a number above max set by hand is not lowered immediately',
      {
        nodes: [
          { name: 'a', pods: pods(2) },
          { name: 'b', pods: pods(2) },
        ],
        spec: { max: 1 },
      },
      { desired: 1 },
    ],
    [
      "others' pods take room",
      { nodes: [{ name: 'a', pods: [aPod('x', 6, { queue: '' })] }], waiting: pods(1) },
      { desired: 1, scaleOut: 2 },
    ],
  ];
  test.each(table)('%s', (_, setup, expected) => {
    const { desired, scaleOut } = planOf(setup);
    expect({ desired, scaleOut }).toEqual({ scaleOut: undefined, ...expected, overMax: undefined });
  });

  test('pods that need more than max are counted for the condition', () => {
    const { overMax, scaleOut } = planOf({ nodes: [{ name: 'a', pods: pods(2) }], waiting: pods(4), spec: { max: 2 } });
    expect([scaleOut, overMax]).toEqual([2, 1]);
  });

  test('a pod that fits on no node of the pool requests none', () => {
    const { scaleOut, placement } = planOf({ waiting: [aPod('huge', 9)], before: OFFER });
    expect(scaleOut).toBeUndefined();
    expect(placement.tooLarge.map(({ key }) => key)).toEqual(['test/huge']);
  });

  test('the offer of an empty node is the minimum of the ready nodes, without the pods that stay with each', () => {
    const daemon = aPod('log', 1, { queue: '', daemon: true });
    const { offer } = planOf({
      nodes: [
        { name: 'a', pods: [daemon] },
        { name: 'b', node: { allocatable: amounts(16) } },
      ],
    });
    expect(offer).toMatchObject({ cpu: 7000, pods: 109 });
  });
});

describe('[K8S-15] [K8S-15] the rows of status.workers', () => {
  test('a node with its machine, its task, and when it joined', () => {
    const [row] = planOf({
      nodes: [{ name: 'a', pods: [aPod('p', 1, { task: 't9' }), aPod('q', 1, { task: 't4' })] }],
    }).rows;
    expect(row).toEqual({
      node: 'a',
      instanceId: 'cloud://a',
      cloudStatus: 'Running',
      registerStatus: 'Ready',
      since: ago(0),
      registerDate: ago(5000),
      ipAddress: '192.0.2.7',
      task: 't4',
    });
  });

  test.each([
    ['idle keeps its start', { name: 'a', idle: 77 }, { registerStatus: 'Ready', idleSince: ago(77) }],
    ['idle from now on', { name: 'a' }, { idleSince: ago(0) }],
    [
      'another node of the same name starts its idle time anew',
      { name: 'a', idle: 77, node: { created: ago(5) } },
      { registerStatus: 'Ready' },
    ],
    ['cordoned', { name: 'a', cordoned: 1 }, { registerStatus: 'Cordoned' }],
    ['its number was lowered', { name: 'a', cordoned: 9, removing: 1 }, { registerStatus: 'Removing' }],
    [
      'its machine is being deleted',
      { name: 'a', machine: { deleting: true, phase: 'Deleting' } },
      { registerStatus: 'Removing', cloudStatus: 'Deleting' },
    ],
    [
      'it was never ready',
      { name: 'a', before: null, node: { ready: false } },
      { registerStatus: 'Pending', since: ago(5000) },
    ],
    ['it is not responding', { name: 'a', node: { ready: false } }, { registerStatus: 'NotReady' }],
  ])('%s', (_, node, expected) => {
    expect(planOf({ nodes: [node] }).rows[0]).toMatchObject(expected);
  });

  test('a machine without a node is Pending; one that lost its node is Lost', () => {
    const machines = [
      aMachine('new', 40, { phase: 'Provisioning' }),
      aMachine('old', 4000, { node: 'gone', phase: 'Running' }),
    ];
    const workers = [{ node: 'gone', registerStatus: 'Ready', registerDate: ago(3000) }];
    expect(planOf({ machines, before: { workers }, replicas: 2 }).rows).toEqual([
      { node: 'gone', cloudStatus: 'Running', registerStatus: 'Lost', since: ago(0), registerDate: ago(3000) },
      { node: 'new', cloudStatus: 'Provisioning', registerStatus: 'Pending', since: ago(40) },
    ]);
  });
});

describe('nodes that never register', () => {
  const machines = [aMachine('m1', 901), aMachine('m2', 10)];

  test('a late machine is replaced, a younger one is waited for', () => {
    const { registration, scaleOut } = planOf({ machines, replicas: 2 });
    expect(registration).toMatchObject({ late: 1, replace: ['m1'], replacements: { count: 1, lastTime: ago(0) } });
    expect(scaleOut).toBeUndefined();
  });

  test('a node that joined and never became ready is replaced too', () => {
    const nodes = [{ name: 'a', before: 'Pending', node: { ready: false } }];
    expect(planOf({ nodes }).registration).toMatchObject({ late: 1, replace: ['a'] });
  });

  test('each round in a row doubles the delay', () => {
    const after = (count: number, seconds: number) =>
      planOf({ machines, replicas: 2, before: { replacements: { count, lastTime: ago(seconds) } } }).registration
        .replace;
    expect(after(1, 899)).toEqual([]);
    expect(after(1, 901)).toEqual(['m1']);
    expect(after(3, 3599)).toEqual([]);
    expect(after(3, 3601)).toEqual(['m1']);
  });

  test('a node that joins resets the delay', () => {
    const before = { replacements: { count: 5, lastTime: ago(100) } };
    const nodes = [{ name: 'a', node: { created: ago(50) }, pods: pods(1) }];
    expect(planOf({ nodes, machines, replicas: 3, before }).registration).toMatchObject({ replacements: { count: 1 } });
  });

  test('a plain scale target replaces nothing and reports the late nodes', () => {
    const { registration, scaleOut, scaleIn } = planOf({
      machines: null,
      replicas: 2,
      waiting: pods(3),
      before: {
        ...OFFER,
        lastScaleTime: ago(901),
        conditions: [
          { type: 'Scaling', status: 'True', reason: 'ScalingOut', message: '', lastTransitionTime: ago(1000) },
        ],
      },
    });
    expect(registration).toMatchObject({ late: 2, replace: [] });
    expect([scaleOut, scaleIn.replicas]).toEqual([undefined, 2]);
  });

  test('the next round is due when the next machine is late', () => {
    expect(planOf({ machines: [aMachine('m2', 10)], replicas: 1 }).dueAt).toBe(NOW + 890_000);
  });
});

test('the same facts give the same plan: only the input is read', () => {
  const input = inputOf({ nodes: [{ name: 'a', idle: 700 }], waiting: pods(3) });
  expect(plan(input)).toEqual(plan(input));
});
