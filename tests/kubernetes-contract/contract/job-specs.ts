/** Validation and defaults of a Job's spec: both servers must reject our mistakes in the same way. */
import type { KubeObject } from '../../cluster/kube-http.ts';
import { makeNamespace, readDefinitions, type Server } from '../server.ts';

const NS = 'contract-job-specs';
const JOBS = `/apis/batch/v1/namespaces/${NS}/jobs`;

function aJob(name: string, spec: KubeObject = {}, pod: KubeObject = {}, container: KubeObject = {}): KubeObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      completionMode: 'Indexed',
      completions: 2,
      suspend: true,
      ...spec,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'step', image: 'none', ...container }], ...pod },
      },
    },
  };
}

const failIndex = (values: number[], more: object = {}) => ({
  rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values, ...more } }],
});

const REFUSED: [string, KubeObject, string][] = [
  [
    'Indexed without completions',
    aJob('r-1', { completions: undefined, parallelism: 2 }),
    'spec.completions: Required value',
  ],
  [
    'a negative parallelism',
    aJob('r-2', { parallelism: -1 }),
    'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'backoffLimitPerIndex of a Job that is not Indexed',
    aJob('r-3', { completionMode: 'NonIndexed', backoffLimitPerIndex: 1 }),
    'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
  ],
  [
    'FailIndex without backoffLimitPerIndex',
    aJob('r-4', { podFailurePolicy: failIndex([2]) }),
    'requires the backoffLimitPerIndex to be set',
  ],
  [
    'exit code 0 in a failure policy',
    aJob('r-5', { backoffLimitPerIndex: 1, podFailurePolicy: failIndex([0]) }),
    'must not be 0 for the In operator',
  ],
  [
    'a failure policy for a container that is not there',
    aJob('r-6', { backoffLimitPerIndex: 1, podFailurePolicy: failIndex([2], { containerName: 'other' }) }),
    'must be one of the container or initContainer names in the pod template',
  ],
  ['restartPolicy Always', aJob('r-7', {}, { restartPolicy: 'Always' }), 'spec.template.spec.restartPolicy'],
  [
    'restartPolicy OnFailure with a failure policy',
    aJob('r-8', { backoffLimitPerIndex: 1, podFailurePolicy: failIndex([2]) }, { restartPolicy: 'OnFailure' }),
    'spec.template.spec.restartPolicy',
  ],
  ['no container', aJob('r-9', {}, { containers: [] }), 'spec.template.spec.containers: Required value'],
  [
    'a container without an image',
    aJob('r-10', {}, {}, { image: '' }),
    'spec.template.spec.containers[0].image: Required value',
  ],
  [
    'a request over the limit',
    aJob('r-11', {}, {}, { resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }),
    'must be less than or equal to memory limit of 1Gi',
  ],
  [
    'a mount of a volume that is not there',
    aJob('r-12', {}, {}, { volumeMounts: [{ name: 'spec', mountPath: '/etc/seqpanel' }] }),
    'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "spec"',
  ],
  [
    'a pod deadline of 0',
    aJob('r-13', {}, { activeDeadlineSeconds: 0 }),
    'spec.template.spec.activeDeadlineSeconds: Invalid value: 0',
  ],
  [
    'a variable without a name',
    aJob('r-14', {}, {}, { env: [{ name: '', value: 'x' }] }),
    'spec.template.spec.containers[0].env[0].name: Required value',
  ],
  [
    'a label value with a blank',
    { ...aJob('r-15'), metadata: { name: 'r-15', labels: { step: 'a b' } } },
    'metadata.labels: Invalid value: "a b"',
  ],
  ['a name from which no pod can be named', aJob('n'.repeat(64)), 'able to create pod with invalid DNS label'],
];

export function jobSpecsContract(server: Server): void {
  describe('Job specs', () => {
    beforeAll(() => makeNamespace(server().kube, NS));

    test.each(REFUSED)('%s is refused', async (_what, job, expected) => {
      const answer = await server().kube.call('POST', JOBS, job);
      expect([answer.status, answer.body.reason]).toEqual([422, 'Invalid']);
      expect(answer.body.message).toContain(expected);
    });

    test('an invalid quantity is rejected', async () => {
      const job = aJob('quantity', {}, {}, { resources: { requests: { memory: 'much' } } });
      const answer = await server().kube.call('POST', JOBS, job);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('quantities must match the regular expression');
    });

    test('an Indexed Job gets its defaults, and its pods are labelled with its name and uid', async () => {
      const { metadata, spec } = await server().kube.create(JOBS, aJob('filled', { backoffLimitPerIndex: 1 }));
      expect(spec).toMatchObject({
        parallelism: 1,
        completions: 2,
        completionMode: 'Indexed',
        backoffLimit: 2147483647,
        backoffLimitPerIndex: 1,
        suspend: true,
        podReplacementPolicy: 'TerminatingOrFailed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid } },
      });
      expect(spec.template.metadata.labels).toMatchObject({
        'batch.kubernetes.io/job-name': 'filled',
        'batch.kubernetes.io/controller-uid': metadata.uid,
      });
      expect(spec.template.spec.terminationGracePeriodSeconds).toBe(30);
      expect(spec.template.spec.containers[0]).toMatchObject({
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      });
    });

    test('a Job with the longest names of task and step, attempt 20 and 384 samples is accepted', async () => {
      const pipeline = readDefinitions().find(({ spec }) => spec.names.kind === 'Pipeline');
      const { spec } = pipeline.spec.versions[0].schema.openAPIV3Schema.properties;
      const longest = spec.properties.stages.items.properties.steps.items.properties.name.maxLength as number;
      const name = `${'t'.repeat(40)}-${'s'.repeat(longest)}-20`;
      const made = await server().kube.create(JOBS, aJob(name, { completions: 384 }));
      expect(made.metadata.name).toBe(name);
    });

    test('with a failure policy pods are replaced only after they have failed', async () => {
      const job = aJob('replaced', { backoffLimitPerIndex: 1, podFailurePolicy: failIndex([2]) });
      expect((await server().kube.create(JOBS, job)).spec.podReplacementPolicy).toBe('Failed');
    });
  });
}
