import { ANYWHERE } from '../jobs/placement.ts';
import { SETTINGS } from '../testing/decision-input.ts';
import { aPipeline, aTask } from '../testing/task-builders.ts';
import { buildJob, type StepJob, seconds } from './job.ts';

const reads = aPipeline().spec.stages[0]?.steps[0];
const aStepJob = (more: Partial<StepJob> = {}): StepJob => ({
  task: aTask('t1', 'A', 'B', 'C').build(),
  stage: 'secondary',
  step: reads as NonNullable<typeof reads>,
  image: 'seqpanel/pipeline:1.0.0',
  attempt: 1,
  samples: [0, 2],
  failedSamples: [1],
  stepNumber: 1,
  memory: '2048Mi',
  genome: 'GRCh38',
  parallelism: 100,
  placement: ANYWHERE,
  settings: SETTINGS.job,
  ...more,
});
const containerOf = (input: StepJob) => buildJob(input).spec?.template.spec.containers[0];

test('[K8S-20] retries count per index, disruptions never; bad input and a killed program fail the index immediately', () => {
  const spec = buildJob(aStepJob()).spec;
  expect(spec?.backoffLimitPerIndex).toBe(2);
  expect(spec?.podFailurePolicy?.rules).toEqual([
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'FailIndex', onExitCodes: { containerName: 'step', operator: 'In', values: [2, 134, 137] } },
  ]);
});

test('the time limit is on the pod, not the Job, and a new Job has no time to live', () => {
  const spec = buildJob(aStepJob()).spec;
  expect(spec?.template.spec.activeDeadlineSeconds).toBe(12 * 3600);
  expect(spec?.activeDeadlineSeconds).toBeUndefined();
  expect(spec?.ttlSecondsAfterFinished).toBeUndefined();
});

test('the Job has its task as controller and carries task, stage, step and attempt', () => {
  const { metadata } = buildJob(aStepJob({ attempt: 3 }));
  expect(metadata).toMatchObject({
    name: 't1-reads-3',
    namespace: 'test',
    ownerReferences: [{ kind: 'AnalysisTask', name: 't1', uid: 'uid-t1', controller: true }],
    labels: { 'seqpanel.dev/task': 't1', 'seqpanel.dev/stage': 'secondary', 'seqpanel.dev/attempt': '3' },
  });
});

test('the correlation ids are on the Job, its pods and in the environment; malformed ids are omitted', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const annotated = (annotations: Record<string, string>) =>
    buildJob(
      aStepJob({
        task: aTask('t1', 'A')
          .with(({ metadata }) => Object.assign(metadata, { annotations }))
          .build(),
      }),
    );
  const ids = { 'seqpanel.dev/request-id': 'req-1', 'seqpanel.dev/traceparent': traceparent };
  const job = annotated({ ...ids, 'example.org/other': 'x' });
  expect(job.metadata?.annotations).toEqual(ids);
  expect(job.spec?.template.metadata?.annotations).toMatchObject(ids);
  expect(job.spec?.template.spec.containers[0]?.env).toEqual(
    expect.arrayContaining([
      { name: 'SEQPANEL_REQUEST_ID', value: 'req-1' },
      { name: 'TRACEPARENT', value: traceparent },
    ]),
  );
  const forged = annotated({ 'seqpanel.dev/request-id': 'a\nb', 'seqpanel.dev/traceparent': 'x' });
  expect(forged.metadata?.annotations).toBeUndefined();
  expect(JSON.stringify(forged)).not.toMatch(/REQUEST_ID|TRACEPARENT/);
});

test('[K8S-21] the program gets its spec and folder as arguments and its samples in the environment', () => {
  const container = containerOf(aStepJob());
  expect(container).toMatchObject({
    command: ['seqpanel-step', 'reads'],
    args: ['--spec', '/etc/seqpanel/task.json', '--task', 'tasks/t1'],
  });
  const env = Object.fromEntries(
    (container?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
  expect(env).toMatchObject({
    SEQPANEL_SAMPLES: '0,2',
    SEQPANEL_SAMPLES_PER_POD: '1',
    SEQPANEL_ATTEMPT: '1',
    SEQPANEL_POD_UID: { fieldRef: { fieldPath: 'metadata.uid' } },
  });
});

test('the pod may write its own task and its group’s cache, may read other folders, and sees no other task', () => {
  const mounts = containerOf(aStepJob())?.volumeMounts?.filter(({ name }) => name === 'storage');
  expect(mounts?.map(({ subPath, readOnly }) => `${subPath}${readOnly ? ' ro' : ''}`)).toEqual([
    'tasks/t1',
    'cache/g1',
    'kept/g1 ro',
    'projects/g1/p1 ro',
    'references/GRCh38 ro',
    'annotation ro',
  ]);
});

test('the pod meets the restricted pod security standard and has no API token', () => {
  const pod = buildJob(aStepJob()).spec?.template.spec;
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(pod?.containers[0]).toMatchObject({
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
    resources: { requests: { cpu: '1', memory: '2048Mi' }, limits: { cpu: '1', memory: '2048Mi' } },
  });
});

test('ephemeral storage is requested and limited as the Pipeline says', () => {
  const step = { ...aStepJob().step, resources: { cpu: '2', memory: '1Gi', ephemeralStorage: '10Gi' } };
  const asked = { cpu: '2', memory: '2048Mi', 'ephemeral-storage': '10Gi' };
  expect(containerOf(aStepJob({ step }))?.resources).toEqual({ requests: asked, limits: asked });
});

test('pods have the stage label, spread over nodes, and keep their node', () => {
  const template = buildJob(aStepJob()).spec?.template;
  expect(template?.metadata?.labels).toMatchObject({
    'app.kubernetes.io/managed-by': 'seqpanel',
    'app.kubernetes.io/component': 'stage',
  });
  expect(template?.metadata?.labels).not.toHaveProperty('app.kubernetes.io/name');
  expect(template?.metadata?.annotations).toEqual({
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    'karpenter.sh/do-not-disrupt': 'true',
  });
  expect(template?.spec.topologySpreadConstraints).toEqual([
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { 'seqpanel.dev/task': 't1', 'seqpanel.dev/step': 'reads' } },
    },
  ]);
});

test('where the platform chooses ids the pod sets none; priority and pull secrets come from the installation', () => {
  const settings = { ...SETTINGS.job, runAsUser: undefined, fsGroup: undefined };
  const pod = buildJob(aStepJob({ settings: { ...settings, priorityClass: 'batch', pullSecrets: ['mirror'] } })).spec
    ?.template.spec;
  expect(pod?.securityContext).toEqual({
    runAsNonRoot: true,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(pod).toMatchObject({ priorityClassName: 'batch', imagePullSecrets: [{ name: 'mirror' }] });
  const plain = buildJob(aStepJob()).spec?.template.spec;
  expect(plain?.securityContext).toMatchObject({ runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 });
  expect([plain?.priorityClassName, plain?.imagePullSecrets, plain?.nodeSelector]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('pods of a queue select its nodes and tolerate their taints', () => {
  const placement = {
    labels: { 'seqpanel.dev/queue': 'large' },
    nodeSelector: { pool: 'large' },
    tolerations: [{ key: 'seqpanel', operator: 'Exists', effect: 'NoSchedule' }],
  };
  const template = buildJob(aStepJob({ placement })).spec?.template;
  expect(template?.metadata?.labels?.['seqpanel.dev/queue']).toBe('large');
  expect(template?.spec.nodeSelector).toEqual({ pool: 'large' });
  expect(template?.spec.tolerations).toEqual([
    expect.objectContaining({ key: 'node.kubernetes.io/not-ready', tolerationSeconds: 60 }),
    expect.objectContaining({ key: 'node.kubernetes.io/unreachable', tolerationSeconds: 60 }),
    placement.tolerations[0],
  ]);
});

test('several samples per pod reduce the number of indexes', () => {
  const step = { ...aStepJob().step, samplesPerPod: 4 };
  const samples = Array.from({ length: 9 }, (_, i) => i);
  expect(buildJob(aStepJob({ step, samples })).spec?.completions).toBe(3);
});

test('a task-scoped step has one index and no list of samples', () => {
  const job = aStepJob({ samples: undefined });
  expect(buildJob(job).spec?.completions).toBe(1);
  expect(containerOf(job)?.env?.map(({ name }) => name)).not.toContain('SEQPANEL_SAMPLES');
});

test('an image without a registry gets the installation’s registry, also with a digest', () => {
  const settings = { ...SETTINGS.job, imageRegistry: 'registry.lab.example/mirror/' };
  const pinned = `seqpanel/pipeline@sha256:${'c'.repeat(64)}`;
  const images = ['seqpanel/pipeline:1.0.0', pinned, 'quay.io/lab/caller:2'];
  expect(images.map((image) => containerOf(aStepJob({ settings, image }))?.image)).toEqual([
    'registry.lab.example/mirror/seqpanel/pipeline:1.0.0',
    `registry.lab.example/mirror/${pinned}`,
    'quay.io/lab/caller:2',
  ]);
});

test.each([
  ['30s', 30],
  ['5m', 300],
  ['12h', 43_200],
])('a timeout of %s is %i seconds', (text, expected) => {
  expect(seconds(text)).toBe(expected);
});

describe('with Kueue', () => {
  const kueue = (queue: string, priorityClass = '') => ({ ...SETTINGS.job, kueue: { queue, priorityClass } });

  test('the Job has the queue of its group, allows partial admission, and later steps have their own priority class', () => {
    const settings = kueue('seqpanel-{group}', 'seqpanel-step-{n}');
    const { metadata, spec } = buildJob(aStepJob({ settings, stepNumber: 3 }));
    expect(metadata?.labels).toMatchObject({
      'kueue.x-k8s.io/queue-name': 'seqpanel-g1',
      'kueue.x-k8s.io/priority-class': 'seqpanel-step-3',
    });
    expect(metadata?.annotations).toEqual({ 'kueue.x-k8s.io/job-min-parallelism': '1' });
    expect(spec?.suspend).toBeUndefined();
  });

  test('one queue may serve all groups, and a group’s id is turned into a valid name', () => {
    const labels = (queue: string, group: string) =>
      buildJob(
        aStepJob({
          settings: kueue(queue),
          task: aTask('t1', 'A')
            .with(({ spec }) => Object.assign(spec, { group }))
            .build(),
        }),
      ).metadata?.labels ?? {};
    expect(labels('lab', 'g1')['kueue.x-k8s.io/queue-name']).toBe('lab');
    expect(labels('lab', 'g1')['kueue.x-k8s.io/priority-class']).toBeUndefined();
    expect(labels('q-{group}', 'Lab_A.')['kueue.x-k8s.io/queue-name']).toBe('q-lab-a');
  });
});
