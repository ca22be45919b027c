import { ago, NOW } from '../testing/task-builders.ts';
import { aPod, type PoolSetup, planOf } from '../testing/workers.ts';
import { REMOVAL_MS, SETTLE_MS } from './scale-in.ts';

type Steps = { cordon?: string[]; uncordon?: string[]; remove?: string[]; replicas?: number };
const stepsOf = (setup: PoolSetup): Required<Steps> => {
  const { cordon, uncordon, remove, replicas } = planOf(setup).scaleIn;
  return { cordon, uncordon, remove, replicas };
};
const IDLE = 700;
const SETTLED = SETTLE_MS / 1000 + 1;
const gone = (name: string) => ({ name, idle: IDLE, cordoned: SETTLED, marked: SETTLED });
const busy = (name: string) => ({ name, pods: [aPod(`${name}-p`, 4)] });

describe('[K8S-25] [K8S-25] with a target that can select machines', () => {
  const table: [string, PoolSetup, Steps][] = [
    ['an idle node stays until it was idle long enough', { nodes: [{ name: 'a', idle: 599 }] }, { replicas: 1 }],
    [
      'then it is cordoned, and nothing else yet',
      { nodes: [{ name: 'a', idle: 600 }] },
      { cordon: ['a'], replicas: 1 },
    ],
    ['a new cordon has to settle', { nodes: [{ name: 'a', idle: IDLE, cordoned: 1, marked: 1 }] }, { replicas: 1 }],
    ['then the number is lowered by one', { nodes: [gone('a')] }, { remove: ['a'], replicas: 0 }],
    [
      'a machine whose mark was lost is marked first',
      { nodes: [{ name: 'a', idle: IDLE, cordoned: SETTLED }] },
      { cordon: ['a'], replicas: 1 },
    ],
    [
      'only the idle ones of several',
      { nodes: [gone('a'), busy('b'), gone('c')] },
      { remove: ['a', 'c'], replicas: 1 },
    ],
    [
      'two are marked, one not long enough: either could be removed, so neither is',
      { nodes: [gone('a'), { name: 'b', idle: IDLE, cordoned: 1, marked: 1 }] },
      { replicas: 2 },
    ],
    [
      'someone else has marked a busy one: it would be removed first',
      { nodes: [gone('a'), { ...busy('b'), marked: 999 }] },
      { replicas: 2 },
    ],
    [
      'nothing is marked while a machine marked earlier still exists',
      {
        nodes: [
          { ...gone('a'), removing: 3 },
          { name: 'b', idle: IDLE },
        ],
        replicas: 1,
      },
      { replicas: 1 },
    ],
    [
      'a node that becomes idle later waits for the next batch',
      { nodes: [gone('a'), { name: 'b', idle: IDLE }] },
      { remove: ['a'], replicas: 1 },
    ],
    [
      'never below min, the longest idle first',
      {
        nodes: [
          { name: 'a', idle: 700 },
          { name: 'b', idle: 900 },
          { name: 'c', idle: 800 },
        ],
        spec: { min: 1 },
      },
      { cordon: ['b', 'c'], replicas: 3 },
    ],
    [
      'a pod was bound to it: it is uncordoned',
      { nodes: [{ ...gone('a'), pods: [aPod('p')] }] },
      { uncordon: ['a'], replicas: 1 },
    ],
    [
      'a waiting pod fits: it is uncordoned',
      { nodes: [gone('a')], waiting: [aPod('w')] },
      { uncordon: ['a'], replicas: 1 },
    ],
    [
      "another's pod holds it too",
      { nodes: [{ name: 'a', idle: IDLE, pods: [aPod('x', 1, { queue: '' })] }] },
      { replicas: 1 },
    ],
    [
      "a DaemonSet's pod does not",
      { nodes: [{ name: 'a', idle: IDLE, pods: [aPod('x', 1, { queue: '', daemon: true })] }] },
      { cordon: ['a'], replicas: 1 },
    ],
    [
      "an administrator's cordon is left alone",
      { nodes: [{ name: 'a', idle: IDLE, node: { cordoned: true } }] },
      { replicas: 1 },
    ],
    ['nothing is removed while a machine is joining', { nodes: [gone('a')], replicas: 2 }, { replicas: 2 }],
    ['nothing is removed while machines are being replaced', { nodes: [gone('a')], settled: false }, { replicas: 1 }],
    [
      'an idle node that does not respond is removed too',
      { nodes: [{ ...gone('a'), node: { ready: false } }] },
      { remove: ['a'], replicas: 0 },
    ],
    [
      'after the number was lowered, work does not uncordon it',
      { nodes: [{ ...gone('a'), removing: 10 }], replicas: 0, waiting: [aPod('w')] },
      { replicas: 0 },
    ],
    [
      'a surviving node is uncordoned',
      { nodes: [{ ...gone('a'), removing: REMOVAL_MS.machines / 1000 }], replicas: 1 },
      { uncordon: ['a'], replicas: 1 },
    ],
    [
      'not while its machine is being deleted',
      { nodes: [{ ...gone('a'), removing: 100, machine: { deleting: true } }], replicas: 1 },
      { replicas: 1 },
    ],
    ['min was raised: it is uncordoned', { nodes: [gone('a')], spec: { min: 1 } }, { uncordon: ['a'], replicas: 1 }],
  ];
  test.each(table)('%s', (_, setup, expected) => {
    expect(stepsOf(setup)).toEqual({ cordon: [], uncordon: [], remove: [], ...expected });
  });
});

describe('[K8S-25] [K8S-25] with a plain scale target', () => {
  const table: [string, PoolSetup, Steps][] = [
    [
      'one idle node of two stays: which one would be removed is unknown',
      { nodes: [gone('a'), busy('b')] },
      { uncordon: ['a'], replicas: 2 },
    ],
    [
      'all are idle: all are cordoned',
      {
        nodes: [
          { name: 'a', idle: IDLE },
          { name: 'b', idle: IDLE },
        ],
      },
      { cordon: ['a', 'b'], replicas: 2 },
    ],
    [
      'one is not idle long enough',
      {
        nodes: [
          { name: 'a', idle: IDLE },
          { name: 'b', idle: 5 },
        ],
      },
      { replicas: 2 },
    ],
    [
      'all cordons have settled: down to min',
      { nodes: [gone('a'), gone('b')], spec: { min: 1 } },
      { remove: ['a', 'b'], replicas: 1 },
    ],
    ['one cordon has not settled', { nodes: [gone('a'), { name: 'b', idle: IDLE, cordoned: 1 }] }, { replicas: 2 }],
    ['at min nothing is cordoned', { nodes: [{ name: 'a', idle: IDLE }], spec: { min: 1 } }, { replicas: 1 }],
    [
      'work arrives before the number is lowered: all are uncordoned',
      { nodes: [gone('a'), gone('b')], waiting: [aPod('w')] },
      { uncordon: ['a', 'b'], replicas: 2 },
    ],
    [
      'work arrives later: the nodes stay cordoned',
      { nodes: [{ ...gone('a'), removing: 10 }], replicas: 0, waiting: [aPod('w')] },
      { replicas: 0 },
    ],
    [
      'nodes kept by min are uncordoned when no more are leaving',
      { nodes: [{ ...gone('a'), removing: REMOVAL_MS.plain / 1000 }], replicas: 1, spec: { min: 1 } },
      { uncordon: ['a'], replicas: 1 },
    ],
    [
      'nodes that never joined and that nobody needs are cancelled',
      {
        replicas: 2,
        before: {
          lastScaleTime: ago(IDLE),
          conditions: [
            { type: 'Scaling', status: 'True', reason: 'ScalingOut', message: '', lastTransitionTime: ago(IDLE) },
          ],
        },
      },
      { replicas: 0 },
    ],
  ];
  test.each(table)('%s', (_, setup, expected) => {
    expect(stepsOf({ ...setup, machines: null })).toEqual({ cordon: [], uncordon: [], remove: [], ...expected });
  });
});

test('the next round is due when the first node was idle long enough, or its cordon has settled', () => {
  expect(
    planOf({
      nodes: [
        { name: 'a', idle: 599 },
        { name: 'b', idle: 5 },
      ],
    }).dueAt,
  ).toBe(NOW + 1000);
  expect(planOf({ nodes: [{ name: 'a', idle: IDLE, cordoned: 1, marked: 1 }] }).dueAt).toBe(NOW + SETTLE_MS - 1000);
});
