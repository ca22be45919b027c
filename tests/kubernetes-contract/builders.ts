/** Objects of the five kinds for tests: minimal ones, and one of each with every field of the spec. */
import type { KubeObject } from '../cluster/kube-http.ts';

const SHA = 'a'.repeat(64);
const GROUP = '0b6f4c1e-0000-4000-8000-000000000001';
const PROJECT = '0b6f4c1e-0000-4000-8000-000000000002';

const meta = (kind: string, name: string) => ({ apiVersion: 'seqpanel.dev/v1alpha1', kind, metadata: { name } });

/** A minimal AnalysisTask: one germline sample of two FASTQ files. `spec` overrides fields. */
export function aTask(name: string, spec: KubeObject = {}): KubeObject {
  return {
    ...meta('AnalysisTask', name),
    spec: {
      name: 'Run-1',
      group: GROUP,
      project: PROJECT,
      panelType: { name: 'demo', sha256: SHA },
      pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
      preset: { name: 'Default', sha256: SHA },
      source: 'fq',
      samples: [aSample('S1')],
      ...spec,
    },
  };
}

/** A sample of two FASTQ files. */
export function aSample(name: string, more: KubeObject = {}): KubeObject {
  return {
    name,
    libraryId: name,
    files: ['R1', 'R2'].map((read) => ({ name: `${name}_S1_L001_${read}_001.fastq.gz`, read, lane: 'L001' })),
    ...more,
  };
}

/** One object of each kind with every field of its spec. */
export const FULL: Record<string, (name: string) => KubeObject> = {
  AnalysisTask: (name) =>
    aTask(name, {
      requestedBy: 'ana',
      pipeline: {
        name: 'panel-1.0.0',
        version: '1.0.0',
        images: [{ image: 'seqpanel/pipeline:1.0.0', digest: `sha256:${'1'.repeat(64)}` }],
      },
      preset: { id: PROJECT, name: 'Default', version: 1, sha256: SHA },
      genome: 'demo',
      frozen: SHA,
      queue: 'standard',
      samples: [
        aSample('T1', {
          qcType: 'Sample',
          role: 'tumor',
          cnvNormal: false,
          tumorContent: 40,
          well: 'A01',
          i7: 'i701',
          i5: 'i501',
        }),
        aSample('N1', { qcType: 'Sample', role: 'normal' }),
      ],
      pairs: [{ name: 'P1', tumor: 'T1', normal: 'N1' }],
      notify: ['ana@example.org'],
      abort: false,
    }),
  PanelType: (name) => ({
    ...meta('PanelType', name),
    spec: {
      displayName: 'Demo',
      value: 'Demo',
      group: 'Oncology',
      active: true,
      default: false,
      allowedGroups: [GROUP],
      genome: 'demo',
      pipelines: ['panel-1.0.0'],
      instanceType: 'standard',
      fileExtensions: ['.fastq.gz'],
      files: {
        panel: { path: 'panels/Demo/Demo.json', sha256: SHA },
        control: { path: 'panels/Demo/control.txt', sha256: SHA },
        parameters: [{ path: 'panels/Demo/default.json', sha256: SHA }],
      },
    },
  }),
  Pipeline: (name) => ({
    ...meta('Pipeline', `${name}-1.0.0`),
    spec: {
      displayName: 'Panel',
      version: '1.0.0',
      state: 'Active',
      stages: ['secondary', 'annotation', 'post-filter', 'qc', 'report'].map((stage) => ({
        name: stage,
        steps: (stage === 'secondary' ? ['reads', 'call'] : [stage]).map((step) => ({
          name: step,
          scope: stage === 'secondary' ? 'sample' : 'task',
          samplesPerPod: 1,
          image: 'seqpanel/pipeline:1.0.0',
          command: ['seqpanel-step', step],
          resources: { cpu: '1', memory: '1Gi', ephemeralStorage: '1Gi' },
          retries: 2,
          timeout: '12h',
        })),
      })),
    },
  }),
  Genome: (name) => ({
    ...meta('Genome', name),
    spec: {
      displayName: 'Demo genome',
      value: 'demo',
      active: true,
      synthetic: true,
      instanceType: 'standard',
      fileExtensions: ['.fastq.gz'],
      aligners: ['minimap2'],
      source: { url: 'https://example.org/demo.fa.gz', sha256: SHA },
      annotation: [{ name: 'genes', kind: 'genes', version: '1', source: { path: 'references/demo.gff3' } }],
    },
  }),
  WorkerPool: (name) => ({
    ...meta('WorkerPool', name),
    spec: {
      queue: 'standard',
      instanceType: 'standard',
      min: 0,
      max: 4,
      idleSeconds: 600,
      registerTimeoutSeconds: 600,
      nodeSelector: { pool: 'standard' },
      tolerations: [{ key: 'pool', operator: 'Equal', value: 'standard', effect: 'NoExecute', tolerationSeconds: 60 }],
      scaleTargetRef: {
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        kind: 'MachineDeployment',
        name: 'standard',
        namespace: 'capi',
      },
    },
  }),
};

/** Returns the path of a collection of one of the five kinds. */
export function collection(kind: string, namespace: string): string {
  return `/apis/seqpanel.dev/v1alpha1/namespaces/${namespace}/${kind.toLowerCase()}s`;
}
