/**
 * The rules of a WorkerPool: its limits, selectors and tolerations that would make its pods invalid, and tolerations
 * that would ignore a cordon.
 */
import type { KubeObject } from '../../../cluster/kube-http.ts';
import { type BrokenRule, fullOf } from './broken-rule.ts';

const full = fullOf('WorkerPool');

const TOLERATIONS: [string, KubeObject, string][] = [
  [
    'cordoned nodes',
    { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' },
    'nodes that are about to go carry this taint',
  ],
  ['a value that exists', { key: 'pool', operator: 'Exists', value: 'x' }, 'with operator Exists there is no value'],
  [
    'a time for what is never executed',
    { key: 'pool', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 },
    'tolerationSeconds is for effect NoExecute alone',
  ],
];

export const WORKER_POOL_RULES: BrokenRule[] = [
  {
    what: 'min over max',
    object: full('rule-min', (spec) => Object.assign(spec, { min: 5 })),
    expected: 'spec.min: must not be over spec.max',
  },
  {
    what: 'a selector by what is no label',
    object: full('rule-selector', (spec) => Object.assign(spec, { nodeSelector: { 'big pool': 'yes' } })),
    expected: 'spec.nodeSelector: a key is the name of a label, as pool or example.org/pool',
  },
  ...TOLERATIONS.map(([what, toleration, expected], i) => ({
    what: `a toleration of ${what}`,
    object: full(`rule-toleration-${i}`, (spec) => Object.assign(spec, { tolerations: [toleration] })),
    expected,
  })),
];
