import { ANALYSIS_TASKS, GENOMES, PANEL_TYPES, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { findCondition, isTrue } from './kube/conditions.ts';
import { startTestCluster, type TestCluster } from './testing/test-cluster.ts';

const SCRIPT = `
if [ "$1" = install-genome ]; then
  say '{"outcome":"done","genome":{"contigs":[["17",81195210,"351f64d4f4f9ddd45b35336ad97aa6de"]],"indexes":[{"tool":"minimap2","version":"2.24","path":"references/g/17.mmi","memoryMiB":300}]}}'; exit 0
fi
if [ "$1" = check-panel ] && grep -q '"value":"Bad"' "$3"; then
  say '{"outcome":"bad_input","code":"panel_invalid","message":"Bad.json: amplicons[3].end: is over the contig"}'; exit 2
fi
`;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ script: SCRIPT });
  await cluster.applyPipeline();
});
afterAll(() => cluster.stop());

const panelType = (name: string, value: string, displayName: string) => ({
  apiVersion: 'seqpanel.dev/v1alpha1' as const,
  kind: 'PanelType' as const,
  metadata: { name },
  spec: {
    displayName,
    value,
    genome: 'g',
    files: { panel: { path: `panels/${value}/${value}.json`, sha256: 'a'.repeat(64) } },
  },
});

test('[K8S-10] [K8S-11] a panel type is Valid after its check and Ready when its genome is', async () => {
  const operator = cluster.startOperator();
  await cluster.create(PANEL_TYPES, panelType('good', 'Good', 'Good panel'));
  const early = await cluster.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Valid'));
  expect(findCondition(early.status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'GenomeMissing' });
  await cluster.create(GENOMES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Genome',
    metadata: { name: 'g' },
    spec: { displayName: 'G', value: 'g', source: { path: 'incoming/g.fa' } },
  });
  const genome = await cluster.until(GENOMES, 'g', ({ status }) => isTrue(status?.conditions, 'Ready'));
  expect(genome.status).toMatchObject({
    contigs: [{ name: '17', canonical: '17', aliases: ['chr17'], length: 81195210 }],
    indexes: [{ tool: 'minimap2', memoryMiB: 300 }],
  });
  await cluster.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Ready'));
  await operator.stop();
});

test('[K8S-10] a panel type with an invalid file is not Valid, and the condition names the problem', async () => {
  const operator = cluster.startOperator();
  await cluster.create(PANEL_TYPES, panelType('bad', 'Bad', 'Bad panel'));
  const decided = ({ status }: { status?: { conditions?: { type: string; status: string }[] } }) =>
    status?.conditions?.some(({ type, status }) => type === 'Valid' && status === 'False') ?? false;
  const { status } = await cluster.until(PANEL_TYPES, 'bad', decided);
  expect(findCondition(status?.conditions, 'Valid')).toMatchObject({
    reason: 'PanelInvalid',
    message: 'Bad.json: amplicons[3].end: is over the contig',
  });
  await operator.stop();
});

test('of two panel types with the same display name the younger is a Duplicate until the older is deleted', async () => {
  const operator = cluster.startOperator();
  await cluster.until(PANEL_TYPES, 'good', ({ status }) => isTrue(status?.conditions, 'Valid'));
  await cluster.create(PANEL_TYPES, panelType('zz-twin', 'zz_twin', 'Good panel'));
  const twin = await cluster.until(PANEL_TYPES, 'zz-twin', ({ status }) => status?.conditions !== undefined);
  const older = (await cluster.get(PANEL_TYPES, 'good')).metadata;
  const isYounger =
    older.creationTimestamp < twin.metadata.creationTimestamp ||
    (older.creationTimestamp === twin.metadata.creationTimestamp && older.uid < twin.metadata.uid);
  const [first, second] = isYounger ? ['good', 'zz-twin'] : ['zz-twin', 'good'];
  const duplicate = await cluster.until(
    PANEL_TYPES,
    second as string,
    ({ status }) => findCondition(status?.conditions, 'Valid')?.reason === 'Duplicate',
  );
  expect(findCondition(duplicate.status?.conditions, 'Valid')?.status).toBe('False');
  await cluster.client.delete(PANEL_TYPES, first as string, { signal: cluster.signal, propagation: 'Background' });
  await cluster.until(PANEL_TYPES, second as string, ({ status }) => isTrue(status?.conditions, 'Valid'));
  await operator.stop();
});

test('[K8S-13] applying a Pipeline installs it, and one with an image of another registry is not Valid', async () => {
  const operator = cluster.startOperator();
  const shipped = await cluster.until(PIPELINES, 'panel-1.0.0', ({ status }) => isTrue(status?.conditions, 'Valid'));
  expect(isTrue(shipped.status?.conditions, 'Installed')).toBe(true);
  const spec = structuredClone(shipped.spec);
  for (const stage of spec.stages) for (const step of stage.steps) step.image = 'example.org/evil:1';
  await cluster.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'foreign-1.0.0' },
    spec,
  });
  const foreign = await cluster.until(PIPELINES, 'foreign-1.0.0', ({ status }) => status?.conditions !== undefined);
  expect(findCondition(foreign.status?.conditions, 'Valid')).toMatchObject({
    status: 'False',
    reason: 'ImageNotAllowed',
  });
  await operator.stop();
});

test('[K8S-13] a waiting task runs nothing of a Pipeline whose image is of another registry', async () => {
  const operator = cluster.startOperator();
  const { spec: shipped } = await cluster.get(PIPELINES, 'panel-1.0.0');
  await cluster.applyTask('early', ['A'], { pipeline: { name: 'late-1.0.0', version: '1.0.0' } });
  await cluster.until(ANALYSIS_TASKS, 'early', ({ status }) => status?.conditions !== undefined);
  const spec = structuredClone(shipped);
  for (const stage of spec.stages) for (const step of stage.steps) step.image = 'example.org/evil:1';
  await cluster.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'late-1.0.0' },
    spec,
  });
  const failed = await cluster.untilPhase('early', 'Failed', 'Completed');
  expect(findCondition(failed.status?.conditions, 'Failed')).toMatchObject({
    status: 'True',
    reason: 'PipelineInvalid',
  });
  expect(await cluster.jobsOf('early')).toEqual([]);
  await operator.stop();
});
