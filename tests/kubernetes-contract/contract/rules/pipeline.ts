/** The rules of a Pipeline: its name, its stages and steps, and the immutability of an installed version. */
import { type BrokenRule, fullOf, ofSpec, type SpecChange } from './broken-rule.ts';

const full = fullOf('Pipeline');

const CHANGED: SpecChange[] = [
  ['displayName', (spec) => Object.assign(spec, { displayName: 'Other' })],
  ['an image', (spec) => Object.assign(spec.stages[0].steps[0], { image: 'elsewhere/pipeline:1' })],
  ['resources removed', (spec) => delete spec.stages[0].steps[0].resources],
];

export const PIPELINE_RULES: BrokenRule[] = [
  {
    what: 'a name without the version',
    object: { ...full('rule'), metadata: { name: 'rule-2.0.0' } },
    expected: 'metadata.name: must end with a dash and spec.version, as panel-1.0.0',
  },
  {
    what: 'stages in another order',
    object: full('rule-order', ({ stages }) => stages.reverse()),
    expected: 'spec.stages: must be secondary, annotation, post-filter, qc, report, in this order',
  },
  {
    what: 'one step name in two stages',
    object: full('rule-steps', ({ stages }) => Object.assign(stages[4].steps[0], { name: 'reads' })),
    expected: 'spec.stages: step names must be unique in a pipeline',
  },
  ...CHANGED.map(([what, change], i) => ({
    what: `a change of ${what}`,
    object: full(`fixed-${i}`),
    change: ofSpec(change),
    expected: 'spec: only state can be changed; install a new version instead',
  })),
  {
    what: 'another order of the steps',
    object: full('steps'),
    change: ofSpec(({ stages }) => stages[0].steps.reverse()),
    expected: 'spec.stages: the order of steps cannot be changed; install a new version instead',
  },
];
