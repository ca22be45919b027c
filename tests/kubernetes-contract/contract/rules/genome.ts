/** The rules of a Genome: sources of its files, and an immutable value. */
import { type BrokenRule, fullOf, ofSpec } from './broken-rule.ts';

const full = fullOf('Genome');

export const GENOME_RULES: BrokenRule[] = [
  {
    what: 'a source with neither path nor url',
    object: full('rule-none', (spec) => Object.assign(spec, { source: {} })),
    expected: 'spec.source: Invalid value: "object": give either path or url',
  },
  {
    what: 'a source with path and url',
    object: full('rule-both', ({ source }) => Object.assign(source, { path: 'references/x.fa' })),
    expected: 'spec.source: Invalid value: "object": give either path or url',
  },
  {
    what: 'a url without its hash',
    object: full('rule-hash', ({ source }) => delete source.sha256),
    expected: 'spec.source: Invalid value: "object": sha256 is needed with a url',
  },
  {
    what: 'a path of an annotation source that climbs',
    object: full('rule-path', ({ annotation }) => Object.assign(annotation[0].source, { path: 'references/../../x' })),
    expected: 'spec.annotation[0].source: Invalid value: "object": path must stay below the storage root',
  },
  {
    what: 'a source that is neither brought in nor installed',
    object: full('rule-folder', (spec) => Object.assign(spec, { source: { path: 'projects/g/p/x.fa' } })),
    expected: 'spec.source: Invalid value: "object": path must be below incoming/ or references/',
  },
  {
    what: 'a change of value',
    object: full('rule-value'),
    change: ofSpec((spec) => Object.assign(spec, { value: 'other' })),
    expected: 'spec.value: cannot be changed; install a new genome instead',
  },
];
