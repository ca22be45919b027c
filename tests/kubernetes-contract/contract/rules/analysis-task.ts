/**
 * The rules of an AnalysisTask: valid names for Jobs and pods, matching pairs and files, and immutability except for
 * abort.
 */
import { aSample, aTask } from '../../builders.ts';
import { type BrokenRule, fullOf, ofSpec, type SpecChange } from './broken-rule.ts';

const full = fullOf('AnalysisTask');
const ORDER = 'spec.samples: the order cannot be changed; launch a new task instead';
const FIXED = 'spec: cannot be changed after creation, except abort; launch a new task instead';
const PAIRED = 'spec.pairs: tumor and normal must be names of spec.samples';
const SOURCE = 'spec.samples: a run of source fq holds R1 and R2 files, one of source bam holds bam and bai files';

const SHAPE: BrokenRule[] = [
  {
    what: 'a name over 40 characters',
    object: aTask('n'.repeat(41)),
    expected: 'metadata.name: at most 40 characters, because the names of its Jobs are made from it',
  },
  {
    what: 'a name with a dot',
    object: aTask('run.1'),
    expected: 'metadata.name: no dots, because the names of its pods are made from it',
  },
  {
    what: 'a digest that is none',
    object: full('rule-digest', ({ pipeline }) => Object.assign(pipeline.images[0], { digest: 'latest' })),
    expected: "spec.pipeline.images[0].digest in body should match '^sha256:[0-9a-f]{64}$'",
  },
  {
    what: 'a pair of one sample with itself',
    object: full('rule-self', ({ pairs }) => Object.assign(pairs[0], { normal: 'T1' })),
    expected: 'spec.pairs[0]: Invalid value: "object": a pair needs two different samples',
  },
  {
    what: 'a pair whose normal is no sample',
    object: full('rule-normal', ({ pairs }) => Object.assign(pairs[0], { normal: 'N9' })),
    expected: PAIRED,
  },
  {
    what: 'a pair whose tumor is no sample',
    object: full('rule-tumor', ({ pairs }) => Object.assign(pairs[0], { tumor: 'T9' })),
    expected: PAIRED,
  },
  {
    what: 'a BAM file in a run of source fq',
    object: full('rule-bam', ({ samples }) => Object.assign(samples[0].files[0], { read: 'bam' })),
    expected: SOURCE,
  },
  {
    what: 'a FASTQ file in a run of source bam',
    object: full('rule-fq', (spec) => Object.assign(spec, { source: 'bam' })),
    expected: SOURCE,
  },
];

const CHANGED: SpecChange[] = [
  ['name', (spec) => Object.assign(spec, { name: 'Run-2' })],
  ['group', (spec) => Object.assign(spec, { group: 'other' })],
  ['requestedBy', (spec) => Object.assign(spec, { requestedBy: 'eve' })],
  ['project', (spec) => Object.assign(spec, { project: 'other' })],
  ['panelType', (spec) => Object.assign(spec.panelType, { name: 'other' })],
  ['pipeline', (spec) => Object.assign(spec.pipeline, { version: '2.0.0' })],
  ['pipeline.images removed', (spec) => delete spec.pipeline.images],
  ['genome', (spec) => Object.assign(spec, { genome: 'other' })],
  ['preset', (spec) => Object.assign(spec.preset, { sha256: 'b'.repeat(64) })],
  ['frozen', (spec) => Object.assign(spec, { frozen: 'b'.repeat(64) })],
  ['queue', (spec) => Object.assign(spec, { queue: 'large' })],
  ['a sample', (spec) => Object.assign(spec.samples[0], { well: 'A02' })],
  ['a file of a sample', (spec) => Object.assign(spec.samples[0].files[0], { name: 'other_R1.fastq.gz' })],
  ['a field of a sample removed', (spec) => delete spec.samples[0].tumorContent],
  ['a sample added', (spec) => spec.samples.push(aSample('S9'))],
  ['a pair', (spec) => Object.assign(spec.pairs[0], { name: 'P2' })],
  ['notify', (spec) => Object.assign(spec, { notify: ['eve@example.org'] })],
];

/** Every optional field of the spec can be removed, and must not be. */
const REMOVABLE = ['requestedBy', 'genome', 'frozen', 'queue', 'pairs', 'notify'];

const FIXED_FIELDS: BrokenRule[] = [
  ...CHANGED.map(([what, change], i) => ({
    what: `a change of ${what}`,
    object: full(`change-${i}`),
    change: ofSpec(change),
    expected: FIXED,
  })),
  {
    what: 'a change of source',
    object: aTask('change-source', { samples: [aSample('S1', { files: [{ name: 'S1.fastq.gz' }] })] }),
    change: ofSpec((spec) => Object.assign(spec, { source: 'bam' })),
    expected: FIXED,
  },
  ...REMOVABLE.map((field) => ({
    what: `the removal of ${field}`,
    object: full(`remove-${field.toLowerCase()}`),
    change: ofSpec((spec) => delete spec[field]),
    expected: FIXED,
  })),
  ...REMOVABLE.map((field) => ({
    what: `the addition of ${field}`,
    object: full(`add-${field.toLowerCase()}`, (spec) => delete spec[field]),
    change: ofSpec((spec) => Object.assign(spec, { [field]: full('x').spec[field] })),
    expected: FIXED,
  })),
  {
    what: 'another order of the samples',
    object: full('order'),
    change: ofSpec(({ samples }) => samples.reverse()),
    expected: ORDER,
  },
];

const abortTakenBack = (how: string, change: SpecChange[1]): BrokenRule => ({
  what: `abort taken back: ${how}`,
  object: full(`abort-${how}`, (spec) => Object.assign(spec, { abort: true })),
  change: ofSpec(change),
  expected: 'spec.abort: cannot be taken back',
});

export const ANALYSIS_TASK_RULES: BrokenRule[] = [
  ...SHAPE,
  ...FIXED_FIELDS,
  abortTakenBack('false', (spec) => Object.assign(spec, { abort: false })),
  abortTakenBack('removed', (spec) => delete spec.abort),
];
