import type { Genome } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { type CheckedGenome, genomeCheck } from '../genome/genome.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findCondition } from '../kube/conditions.ts';
import { SETTINGS } from '../testing/decision-input.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, NOW } from '../testing/task-builders.ts';
import type { CheckedStatus, CheckSettings } from './check-kind.ts';
import { type CheckDecision, type CheckInput, decideCheck, refusedStatus } from './decide.ts';

const settings: CheckSettings = {
  image: 'seqpanel/pipeline:1.0.0',
  repeatMs: 600_000,
  memoryDoublings: 3,
  jobTtlSeconds: 600,
  stuckMs: 300_000,
  genomeHosts: ['ftp.example.org'],
  pod: SETTINGS.job,
};

const aGenome = (name: string, status?: CheckedStatus, spec: Partial<Genome['spec']> = {}): Stored<CheckedGenome> => ({
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'Genome',
  metadata: {
    name,
    namespace: 'test',
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: ago(9),
  },
  spec: { displayName: name, value: name, source: { path: `incoming/${name}.fa` }, ...spec },
  ...(status && { status }),
});

const decide = (
  object: Stored<CheckedGenome>,
  jobs: JobFacts[] = [],
  pods: PodFacts[] = [],
  more: Partial<CheckInput<CheckedGenome>> = {},
) => decideCheck({ kind: genomeCheck, object, all: [object], jobs, pods, pools: [], now: NOW, settings, ...more });

const createdJob = ({ before }: CheckDecision) => before.flatMap((a) => (a.do === 'createJob' ? [a.object] : []))[0];
const valid = ({ status }: CheckDecision) => findCondition(status.conditions, 'Valid');
const ready = ({ status }: CheckDecision) => findCondition(status.conditions, 'Ready');

/** Returns the state after the first decision, with its Job ended as given. */
function checked(end: (pod: ReturnType<typeof aPod>) => ReturnType<typeof aPod>, failed: boolean) {
  const first = decide(aGenome('g'));
  const job = aJob('', 'install-genome').with({ name: first.status.checkJob ?? '', task: '' });
  job.ended(...(failed ? [0] : []));
  return { object: aGenome('g', first.status), job: job.build(), pod: end(aPod(job.build())).build() };
}

test('a new genome gets a Job with its installation as input, and is not Ready meanwhile', () => {
  const decision = decide(aGenome('g'));
  const container = createdJob(decision)?.spec?.template.spec.containers[0];
  expect(container?.command).toEqual(['seqpanel-step', 'install-genome']);
  expect(container?.args).toEqual(['--spec', '/etc/seqpanel/genome.json']);
  const spec = decision.before.flatMap((a) =>
    a.do === 'createConfigMap' ? [a.object.data?.['genome.json'] ?? ''] : [],
  )[0];
  expect(JSON.parse(spec ?? '')).toMatchObject({ name: 'g', spec: { value: 'g', source: { path: 'incoming/g.fa' } } });
  expect(valid(decision)).toMatchObject({ status: 'Unknown', reason: 'Checking' });
  expect(ready(decision)).toMatchObject({ status: 'False', reason: 'Checking' });
});

test('the image of a check comes from the registry of the installation', () => {
  const pod = { ...settings.pod, imageRegistry: 'registry.lab.example' };
  const container = createdJob(decide(aGenome('g'), [], [], { settings: { ...settings, pod } }))?.spec?.template.spec;
  expect(container?.containers[0]?.image).toBe('registry.lab.example/seqpanel/pipeline:1.0.0');
});

test('contigs and indexes are taken from the Job’s result, with canonical names and aliases', () => {
  const termination = {
    genome: { contigs: [['chr7', 1000, 'a'.repeat(32)]], indexes: [{ tool: 'minimap2', memoryMiB: 9 }] },
  };
  const { object, job, pod } = checked((p) => p.succeeded(termination as object), false);
  const decision = decide(object, [job], [pod]);
  expect(decision.status).toMatchObject({
    contigs: [{ name: 'chr7', canonical: '7', aliases: ['7'], length: 1000 }],
    indexes: [{ tool: 'minimap2', memoryMiB: 9 }],
  });
  expect([valid(decision)?.status, ready(decision)?.status]).toEqual(['True', 'True']);
  expect(decision.after).toMatchObject([{ do: 'expireJob' }]);
});

test('unchanged content is not checked again, changed content is', () => {
  const { object, job, pod } = checked((p) => p.succeeded(), false);
  const { status } = decide(object, [job], [pod]);
  const again = decide(aGenome('g', status));
  expect(again).toMatchObject({ before: [], status });
  const changed = decide(aGenome('g', status, { source: { path: 'incoming/other.fa' } }));
  expect(createdJob(changed)?.metadata?.name).not.toBe(status.checkJob);
  expect(valid(changed)?.reason).toBe('Checking');
});

test('bad input sets Valid to False with the program’s reason and message', () => {
  const { object, job, pod } = checked((p) => p.refused('fasta_invalid', 'g.fa: line 7: not a base'), true);
  const decision = decide(object, [job], [pod]);
  expect(valid(decision)).toMatchObject({
    status: 'False',
    reason: 'FastaInvalid',
    message: 'g.fa: line 7: not a base',
  });
  expect(ready(decision)?.status).toBe('False');
});

test('a check that could not run leaves Valid Unknown and is repeated later', () => {
  const { object, job, pod } = checked((p) => p.crashed(1, 'disk full'), true);
  const failed = decide(object, [job], [pod]);
  expect(valid(failed)).toMatchObject({ status: 'Unknown', reason: 'CheckError', message: 'exit code 1: disk full' });
  const waiting = decide(aGenome('g', failed.status));
  expect([waiting.before, waiting.requeueAfterMs]).toEqual([[], 600_000]);
  const later = decide(aGenome('g', failed.status), [], [], { now: NOW + 600_000 });
  expect(createdJob(later)?.metadata?.name).toBe(later.status.checkJob);
});

test('a check that runs out of memory gets another Job with twice as much, at most three times', () => {
  const { object, job, pod } = checked((p) => p.crashed(137, '', 'OOMKilled'), true);
  const second = decide(object, [job], [pod]);
  const limits = createdJob(second)?.spec?.template.spec.containers[0]?.resources?.limits;
  expect(limits?.['memory']).toBe('4096Mi');
  expect(second.status.checkJob).toMatch(/-1$/);

  let { status } = second;
  for (let n = 2; n <= 4; n++) {
    const next = aJob('', 'install-genome')
      .with({ name: status.checkJob ?? '', task: '' })
      .ended(0)
      .build();
    const decision = decide(aGenome('g', status), [next], [aPod(next).crashed(137, '', 'OOMKilled').build()]);
    status = decision.status;
  }
  expect(findCondition(status.conditions, 'Valid')).toMatchObject({ status: 'Unknown', reason: 'CheckError' });
});

test.each(['value', 'displayName'] as const)('of two with the same %s the younger is a Duplicate', (field) => {
  const older = aGenome('same', undefined, { [field]: 'same' });
  const younger = aGenome('b', undefined, { [field]: 'same' });
  younger.metadata.creationTimestamp = ago(1);
  const all = [younger, older];
  expect(valid(decide(younger, [], [], { all }))).toMatchObject({ status: 'False', reason: 'Duplicate' });
  expect(valid(decide(younger, [], [], { all }))?.message).toContain('already used by same');
  expect(valid(decide(older, [], [], { all }))?.reason).toBe('Checking');
});

test('only a genome that downloads files has pods with network access, and it requests its own machine type', () => {
  const labelsOf = (decision: CheckDecision) => createdJob(decision)?.spec?.template.metadata?.labels;
  expect(labelsOf(decide(aGenome('demo')))).toMatchObject({ 'app.kubernetes.io/component': 'check' });
  const source = { url: 'https://files.lab.example/x.fa.gz', sha256: 'a'.repeat(64) };
  const hosts = { settings: { ...settings, genomeHosts: ['files.lab.example'] } };
  const fetched = decide(aGenome('demo', undefined, { source, instanceType: 'large' }), [], [], hosts);
  expect(labelsOf(fetched)).toMatchObject({
    'app.kubernetes.io/component': 'genome',
    'seqpanel.dev/queue': 'large',
  });
});

test('a pod that downloads gets the proxy and certificates, and no other pod does', () => {
  const outside = { proxy: 'http://proxy.lab.example:3128', noProxy: 'lab.example', caConfigMap: 'lab-ca' };
  const options = { settings: { ...settings, genomeHosts: ['files.lab.example'], outside } };
  const podOf = (source: object) =>
    createdJob(decide(aGenome('demo', undefined, source), [], [], options))!.spec!.template.spec!;
  const fetches = podOf({ source: { url: 'https://files.lab.example/x.fa.gz', sha256: 'a'.repeat(64) } });
  expect(fetches.containers[0]!.env).toEqual(
    expect.arrayContaining([
      { name: 'NODE_USE_ENV_PROXY', value: '1' },
      { name: 'HTTPS_PROXY', value: outside.proxy },
      { name: 'NO_PROXY', value: outside.noProxy },
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/seqpanel-ca/ca.crt' },
    ]),
  );
  expect(fetches.volumes).toContainEqual({ name: 'ca', configMap: { name: 'lab-ca' } });
  expect(JSON.stringify(podOf({}))).not.toMatch(/PROXY|lab-ca/);
});

test('a pod of a genome mounts its target folders and the folders of its sources, and no more of the storage', () => {
  const mountsOf = (spec: Partial<Genome['spec']>) =>
    createdJob(decide(aGenome('g', undefined, spec)))
      ?.spec?.template.spec.containers[0]?.volumeMounts?.filter(({ name }) => name === 'storage')
      .map(({ mountPath, subPath, readOnly }) => [mountPath, subPath, readOnly]);
  const url = { url: 'https://ftp.example.org/g.fa.gz', sha256: 'a'.repeat(64) };
  const source = (path: string) => ({ name: path.slice(-1), kind: 'genes' as const, version: '1', source: { path } });
  const annotation = [source('incoming/lab/a'), source('incoming/lab/b'), source('references/g/c')];
  const own = [
    ['/storage/references/g', 'references/g', undefined],
    ['/storage/annotation/g.a', 'annotation/g.a', undefined],
    ['/storage/annotation/g.b', 'annotation/g.b', undefined],
    ['/storage/annotation/g.c', 'annotation/g.c', undefined],
    ['/storage/incoming/lab', 'incoming/lab', true],
  ];
  expect(mountsOf({ source: url, annotation })).toEqual(own);
  expect(mountsOf({ source: { path: 'references/other/x.fa' }, annotation })).toEqual([
    ...own.slice(0, 4),
    ['/storage/references/other', 'references/other', true],
    own[4],
  ]);
});

test.each(['projects/g/p/S1.bam', 'tasks/t/panel.json', 'incoming/../projects/x', 'panels', '/etc/passwd'])(
  'a genome of %s is not installed, whatever the definition allows',
  (path) => {
    const decision = decide(aGenome('g', undefined, { source: { path } }));
    expect(decision.before).toEqual([]);
    expect(valid(decision)).toMatchObject({ status: 'False', reason: 'PathNotAllowed' });
  },
);

test('an invalid address is reported and not retried', () => {
  const decision = decide(aGenome('g', undefined, { source: { url: 'https://', sha256: 'a'.repeat(64) } }));
  expect(decision.before).toEqual([]);
  expect(valid(decision)).toMatchObject({ status: 'False', reason: 'BadUrl', message: '"https://" is not a URL.' });
});

test('a genome with the longest name gets a Job whose pod name is valid', () => {
  const name = createdJob(decide(aGenome('g'.repeat(253))))?.metadata?.name ?? '';
  expect(name).toMatch(/^install-genome-g+-[0-9a-f]{10}-0$/);
  expect(`${name}-0`.length).toBeLessThanOrEqual(63);
});

test('a check whose pod cannot start is reported after some minutes', () => {
  const first = decide(aGenome('g'));
  const job = aJob('', 'install-genome')
    .with({ name: first.status.checkJob ?? '', task: '' })
    .build();
  const pod = (since: number) =>
    aPod(job)
      .with({ phase: 'Pending', waiting: { reason: 'ImagePullBackOff', message: 'not found', since: ago(since) } })
      .build();
  const early = decide(aGenome('g', first.status), [job], [pod(290)]);
  expect([valid(early)?.reason, early.requeueAfterMs]).toEqual(['Checking', 10_000]);
  const late = decide(aGenome('g', first.status), [job], [pod(300)]);
  expect(valid(late)).toMatchObject({ status: 'Unknown', reason: 'ImagePullBackOff' });
  expect(ready(late)).toMatchObject({ status: 'False', reason: 'ImagePullBackOff' });
  expect(valid(late)?.message).toMatch(/^pod .*: not found$/);
});

test('the API server’s rejection of the check is in both conditions', () => {
  const status = refusedStatus(genomeCheck, aGenome('g'), 'exceeded quota: pods', NOW);
  const told = { reason: 'JobRefused', message: 'exceeded quota: pods', observedGeneration: 1 };
  expect(findCondition(status.conditions, 'Valid')).toMatchObject({ ...told, status: 'Unknown' });
  expect(findCondition(status.conditions, 'Ready')).toMatchObject({ ...told, status: 'False' });
  expect(status.observedGeneration).toBe(1);
});

test('a host that no setting names is rejected before any Job', () => {
  const source = (host: string) => ({ source: { url: `https://${host}/g.fa.gz`, sha256: 'a'.repeat(64) } });
  for (const elsewhere of ['ftp.example.org:8443', 'ftp.example.org@evil.example.com', 'evil.example.com']) {
    const { before, status } = decide(aGenome('g', undefined, source(elsewhere)));
    expect([before, findCondition(status.conditions, 'Valid')?.reason]).toEqual([[], 'SourceNotAllowed']);
  }
  const refused = decide(aGenome('g', undefined, source('evil.example.com')));
  expect(refused.before).toEqual([]);
  expect(valid(refused)).toMatchObject({ status: 'False', reason: 'SourceNotAllowed' });
  const allowed = decide(aGenome('g', undefined, source('ftp.example.org')));
  expect(createdJob(allowed)?.metadata?.name).toBe(allowed.status.checkJob);
});

test('a genome whose name does not match its value is not valid, and the condition gives the right name', () => {
  const found = decide(aGenome('hg38-lab', undefined, { value: 'HG38_lab' }));
  expect(createdJob(found)?.metadata?.name).toBe(found.status.checkJob);
  const { before, status } = decide(aGenome('mine', undefined, { value: 'HG38_lab' }));
  expect(before).toEqual([]);
  expect(findCondition(status.conditions, 'Valid')).toMatchObject({
    status: 'False',
    reason: 'Misnamed',
    message: expect.stringContaining('"hg38-lab"'),
  });
});
