/** The CEL rules of the five kinds, each with an object or a change that breaks it. */
import type { KubeObject } from '../../cluster/kube-http.ts';
import { aSample, aTask, FULL } from '../builders.ts';

export interface BrokenRule {
  kind: string;
  what: string;
  /** The object created; refused unless `change` is given. */
  object: KubeObject;
  /** A change to it, put as a whole, that is refused. */
  change?: (object: KubeObject) => void;
  expected: string;
}

const ORDER = 'spec.samples: the order cannot be changed; launch a new task instead';
const FIXED = 'spec: cannot be changed after creation, except abort; launch a new task instead';
const full = (kind: string, name: string, change?: (object: KubeObject) => void) => {
  const object = FULL[kind]!(name);
  change?.(object);
  return object;
};

/** Every optional field of the spec can be removed, and must not be. */
const REMOVABLE = ['requestedBy', 'genome', 'frozen', 'queue', 'pairs', 'notify'];
const CHANGED: [string, (spec: KubeObject) => void][] = [
  [
    'name',
    (spec) => {
      spec.name = 'Run-2';
    },
  ],
  [
    'group',
    (spec) => {
      spec.group = 'other';
    },
  ],
  [
    'requestedBy',
    (spec) => {
      spec.requestedBy = 'eve';
    },
  ],
  [
    'project',
    (spec) => {
      spec.project = 'other';
    },
  ],
  [
    'panelType',
    (spec) => {
      spec.panelType.name = 'other';
    },
  ],
  [
    'pipeline',
    (spec) => {
      spec.pipeline.version = '2.0.0';
    },
  ],
  [
    'pipeline.images removed',
    (spec) => {
      delete spec.pipeline.images;
    },
  ],
  [
    'genome',
    (spec) => {
      spec.genome = 'other';
    },
  ],
  [
    'preset',
    (spec) => {
      spec.preset.sha256 = 'b'.repeat(64);
    },
  ],
  [
    'frozen',
    (spec) => {
      spec.frozen = 'b'.repeat(64);
    },
  ],
  [
    'queue',
    (spec) => {
      spec.queue = 'large';
    },
  ],
  [
    'a sample',
    (spec) => {
      spec.samples[0].well = 'A02';
    },
  ],
  [
    'a file of a sample',
    (spec) => {
      spec.samples[0].files[0].name = 'other_R1.fastq.gz';
    },
  ],
  [
    'a field of a sample removed',
    (spec) => {
      delete spec.samples[0].tumorContent;
    },
  ],
  [
    'a sample added',
    (spec) => {
      spec.samples.push(aSample('S9'));
    },
  ],
  [
    'a pair',
    (spec) => {
      spec.pairs[0].name = 'P2';
    },
  ],
  [
    'notify',
    (spec) => {
      spec.notify = ['eve@example.org'];
    },
  ],
];

/** What the API server refuses of a pod's tolerations, told of the pool instead; and what would defeat a cordon. */
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

export const BROKEN_RULES: BrokenRule[] = [
  {
    kind: 'AnalysisTask',
    what: 'a name over 40 characters',
    object: aTask('n'.repeat(41)),
    expected: 'metadata.name: at most 40 characters, because the names of its Jobs are made from it',
  },
  {
    kind: 'AnalysisTask',
    what: 'a name with a dot',
    object: aTask('run.1'),
    expected: 'metadata.name: no dots, because the names of its pods are made from it',
  },
  {
    kind: 'AnalysisTask',
    what: 'a pair of one sample with itself',
    object: full('AnalysisTask', 'rule-self', ({ spec }) => {
      spec.pairs[0].normal = 'T1';
    }),
    expected: 'spec.pairs[0]: Invalid value: "object": a pair needs two different samples',
  },
  {
    kind: 'AnalysisTask',
    what: 'a pair whose normal is no sample',
    object: full('AnalysisTask', 'rule-normal', ({ spec }) => {
      spec.pairs[0].normal = 'N9';
    }),
    expected: 'spec.pairs: tumor and normal must be names of spec.samples',
  },
  {
    kind: 'AnalysisTask',
    what: 'a pair whose tumor is no sample',
    object: full('AnalysisTask', 'rule-tumor', ({ spec }) => {
      spec.pairs[0].tumor = 'T9';
    }),
    expected: 'spec.pairs: tumor and normal must be names of spec.samples',
  },
  {
    kind: 'AnalysisTask',
    what: 'a BAM file in a run of source fq',
    object: full('AnalysisTask', 'rule-bam', ({ spec }) => {
      spec.samples[0].files[0].read = 'bam';
    }),
    expected: 'spec.samples: a run of source fq holds R1 and R2 files, one of source bam holds bam and bai files',
  },
  {
    kind: 'AnalysisTask',
    what: 'a FASTQ file in a run of source bam',
    object: full('AnalysisTask', 'rule-fq', ({ spec }) => {
      spec.source = 'bam';
    }),
    expected: 'spec.samples: a run of source fq holds R1 and R2 files, one of source bam holds bam and bai files',
  },
  ...CHANGED.map(([what, change], i) => ({
    kind: 'AnalysisTask',
    what: `a change of ${what}`,
    object: FULL['AnalysisTask']!(`change-${i}`),
    change: ({ spec }: KubeObject) => change(spec),
    expected: FIXED,
  })),
  {
    kind: 'AnalysisTask',
    what: 'a change of source',
    object: aTask('change-source', { samples: [aSample('S1', { files: [{ name: 'S1.fastq.gz' }] })] }),
    change: ({ spec }) => {
      spec.source = 'bam';
    },
    expected: FIXED,
  },
  ...REMOVABLE.map((field) => ({
    kind: 'AnalysisTask',
    what: `the removal of ${field}`,
    object: FULL['AnalysisTask']!(`remove-${field.toLowerCase()}`),
    change: ({ spec }: KubeObject) => {
      delete spec[field];
    },
    expected: FIXED,
  })),
  ...REMOVABLE.map((field) => ({
    kind: 'AnalysisTask',
    what: `the addition of ${field}`,
    object: full('AnalysisTask', `add-${field.toLowerCase()}`, ({ spec }) => {
      delete spec[field];
    }),
    change: (object: KubeObject) => {
      object.spec[field] = FULL['AnalysisTask']!('x').spec[field];
    },
    expected: FIXED,
  })),
  {
    kind: 'AnalysisTask',
    what: 'another order of the samples',
    object: FULL['AnalysisTask']!('order'),
    change: ({ spec }) => {
      spec.samples.reverse();
    },
    expected: ORDER,
  },
  ...['false', 'removed'].map((how) => ({
    kind: 'AnalysisTask',
    what: `abort taken back: ${how}`,
    object: full('AnalysisTask', `abort-${how}`, ({ spec }) => {
      spec.abort = true;
    }),
    change: ({ spec }: KubeObject) => {
      if (how === 'false') spec.abort = false;
      else delete spec.abort;
    },
    expected: 'spec.abort: cannot be taken back',
  })),
  ...(['panel', 'control'] as const).map((file) => ({
    kind: 'PanelType',
    what: `a path of the ${file} file that climbs`,
    object: full('PanelType', `rule-${file}`, ({ spec }) => {
      spec.files[file].path = 'panels/../../etc/passwd';
    }),
    expected: `spec.files.${file}: Invalid value: "object": path must stay below the storage root`,
  })),
  {
    kind: 'PanelType',
    what: 'a path of a parameter file that climbs',
    object: full('PanelType', 'rule-parameters', ({ spec }) => {
      spec.files.parameters[0].path = '../x';
    }),
    expected: 'spec.files.parameters[0]: Invalid value: "object": path must stay below the storage root',
  },
  {
    kind: 'PanelType',
    what: 'a change of value',
    object: FULL['PanelType']!('rule-value'),
    change: ({ spec }) => {
      spec.value = 'Other';
    },
    expected: 'spec.value: cannot be changed; create a new panel type instead',
  },
  {
    kind: 'Pipeline',
    what: 'a name without the version',
    object: full('Pipeline', 'rule', ({ metadata }) => {
      metadata.name = 'rule-2.0.0';
    }),
    expected: 'metadata.name: must end with a dash and spec.version, as panel-1.0.0',
  },
  {
    kind: 'Pipeline',
    what: 'stages in another order',
    object: full('Pipeline', 'rule-order', ({ spec }) => {
      spec.stages.reverse();
    }),
    expected: 'spec.stages: must be secondary, annotation, post-filter, qc, report, in this order',
  },
  {
    kind: 'Pipeline',
    what: 'one step name in two stages',
    object: full('Pipeline', 'rule-steps', ({ spec }) => {
      spec.stages[4].steps[0].name = 'reads';
    }),
    expected: 'spec.stages: the name of a step can stand only once in a pipeline',
  },
  ...(
    [
      [
        'displayName',
        (spec) => {
          spec.displayName = 'Other';
        },
      ],
      [
        'an image',
        (spec) => {
          spec.stages[0].steps[0].image = 'elsewhere/pipeline:1';
        },
      ],
      [
        'resources removed',
        (spec) => {
          delete spec.stages[0].steps[0].resources;
        },
      ],
    ] as [string, (spec: KubeObject) => void][]
  ).map(([what, change], i) => ({
    kind: 'Pipeline',
    what: `a change of ${what}`,
    object: FULL['Pipeline']!(`fixed-${i}`),
    change: ({ spec }: KubeObject) => change(spec),
    expected: 'spec: only state and default can be changed; install a new version instead',
  })),
  {
    kind: 'Pipeline',
    what: 'another order of the steps',
    object: FULL['Pipeline']!('steps'),
    change: ({ spec }) => {
      spec.stages[0].steps.reverse();
    },
    expected: 'spec.stages: the order of steps cannot be changed; install a new version instead',
  },
  {
    kind: 'Genome',
    what: 'a source with neither path nor url',
    object: full('Genome', 'rule-none', ({ spec }) => {
      spec.source = {};
    }),
    expected: 'spec.source: Invalid value: "object": give either path or url',
  },
  {
    kind: 'Genome',
    what: 'a source with path and url',
    object: full('Genome', 'rule-both', ({ spec }) => {
      spec.source.path = 'references/x.fa';
    }),
    expected: 'spec.source: Invalid value: "object": give either path or url',
  },
  {
    kind: 'Genome',
    what: 'a url without its hash',
    object: full('Genome', 'rule-hash', ({ spec }) => {
      delete spec.source.sha256;
    }),
    expected: 'spec.source: Invalid value: "object": sha256 is needed with a url',
  },
  {
    kind: 'Genome',
    what: 'a path of an annotation source that climbs',
    object: full('Genome', 'rule-path', ({ spec }) => {
      spec.annotation[0].source.path = 'references/../../x';
    }),
    expected: 'spec.annotation[0].source: Invalid value: "object": path must stay below the storage root',
  },
  {
    kind: 'Genome',
    what: 'a change of value',
    object: FULL['Genome']!('rule-value'),
    change: ({ spec }) => {
      spec.value = 'other';
    },
    expected: 'spec.value: cannot be changed; install a new genome instead',
  },
  {
    kind: 'WorkerPool',
    what: 'min over max',
    object: full('WorkerPool', 'rule-min', ({ spec }) => {
      spec.min = 5;
    }),
    expected: 'spec.min: must not be over spec.max',
  },
  {
    kind: 'WorkerPool',
    what: 'a selector by what is no label',
    object: full('WorkerPool', 'rule-selector', ({ spec }) => {
      spec.nodeSelector = { 'big pool': 'yes' };
    }),
    expected: 'spec.nodeSelector: a key is the name of a label, as pool or example.org/pool',
  },
  ...TOLERATIONS.map(([what, toleration, expected], i) => ({
    kind: 'WorkerPool',
    what: `a toleration of ${what}`,
    object: full('WorkerPool', `rule-toleration-${i}`, ({ spec }) => {
      spec.tolerations = [toleration];
    }),
    expected,
  })),
];
