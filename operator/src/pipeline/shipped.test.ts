import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_MAPS, JOBS, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { specName } from '../analysistask/names.ts';
import { readConfig } from '../config.ts';
import { findCondition } from '../kube/conditions.ts';
import { aPipeline } from '../testing/task-builders.ts';
import { startTestCluster, type TestCluster } from '../testing/test-cluster.ts';

let cluster: TestCluster;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-shipped-'));
  cluster = await startTestCluster({
    script: `[ "$1" != reads ] || while [ ! -e "${folder}/go" ]; do sleep 0.1; done`,
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await cluster.stop();
});

/** Adds a Pipeline of that version to the release. JSON is YAML. */
function ship(version: string): void {
  const { apiVersion, kind, spec } = aPipeline();
  const pipeline = { apiVersion, kind, metadata: { name: `panel-${version}` }, spec: { ...spec, version } };
  writeFileSync(join(folder, `panel-${version}.yaml`), JSON.stringify(pipeline));
}
const installed = async (): Promise<string[]> =>
  (await cluster.client.list(PIPELINES, { signal: cluster.signal })).items.map(({ metadata }) => metadata.name).sort();
const release = (more: Record<string, string> = {}) =>
  cluster.startOperator({ SEQPANEL_PIPELINES_DIR: folder, ...more });
const marked = (version: string) => cluster.until(CONFIG_MAPS, `seqpanel-applied-panel-${version}`, () => true);

test('[K8S-13] a shipped Pipeline is applied once and unchanged: a deleted one stays deleted, and a later release adds its own', async () => {
  ship('1.0.0');
  const first = release({ SEQPANEL_IMAGE_REGISTRY: 'registry.lab.example/mirror/' });
  await marked('1.0.0');
  const applied = await cluster.until(PIPELINES, 'panel-1.0.0', ({ status }) =>
    Boolean(status?.conditions?.some(({ type }) => type === 'Valid')),
  );
  const images = new Set(applied.spec.stages.flatMap(({ steps }) => steps.map(({ image }) => image)));
  expect([...images]).toEqual(['seqpanel/pipeline:1.0.0']);
  expect(applied.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Valid', status: 'True' }));
  await first.stop();

  await cluster.client.delete(PIPELINES, 'panel-1.0.0', { signal: cluster.signal, propagation: 'Background' });
  ship('1.1.0');
  const second = release();
  await marked('1.1.0');
  expect(await installed()).toEqual(['panel-1.1.0']);
  await second.stop();
});

test('a Pipeline that was installed by other means is not changed', async () => {
  const { apiVersion, kind, spec } = aPipeline();
  const own = { ...spec, version: '2.0.0', displayName: 'Ours' };
  await cluster.create(PIPELINES, { apiVersion, kind, metadata: { name: 'panel-2.0.0' }, spec: own });
  ship('2.0.0');
  const operator = release();
  await marked('2.0.0');
  expect((await cluster.get(PIPELINES, 'panel-2.0.0')).spec.displayName).toBe('Ours');
  await operator.stop();
});

test('a changed registry applies to the next Job of tasks and checks; explicit registries are checked again', async () => {
  const { apiVersion, kind, spec } = aPipeline({ image: 'older.lab.example/seqpanel/pipeline:1.0.0' });
  await cluster.create(PIPELINES, {
    apiVersion,
    kind,
    metadata: { name: 'panel-3.0.0' },
    spec: { ...spec, version: '3.0.0' },
  });
  const validWith = async (registry: string, reason: string) => {
    const operator = cluster.startOperator({ SEQPANEL_IMAGE_REGISTRY: registry });
    const isSo = (name: string, wanted: string) =>
      cluster.until(PIPELINES, name, ({ status }) => findCondition(status?.conditions, 'Valid')?.reason === wanted);
    await isSo('panel-3.0.0', reason);
    await isSo('panel-2.0.0', 'Checked');
    await operator.stop();
  };
  await validWith('older.lab.example', 'Checked');
  await validWith('newer.lab.example/mirror', 'ImageNotAllowed');
  await validWith('older.lab.example', 'Checked');
});

test('a changed registry applies to the next Job of a running task, and frozen values stay', async () => {
  await cluster.applyPipeline();
  await cluster.applyTask('moved', ['A']);
  const first = release({ SEQPANEL_IMAGE_REGISTRY: 'older.lab.example' });
  await cluster.until(JOBS, 'moved-reads-1', () => true);
  const frozen = await cluster.until(CONFIG_MAPS, specName('moved'), () => true);
  await first.stop();
  writeFileSync(join(folder, 'go'), '');
  const second = release({ SEQPANEL_IMAGE_REGISTRY: 'newer.lab.example/mirror' });
  await cluster.until(JOBS, 'moved-cohort-1', () => true);
  const images = new Map(
    (await cluster.jobs()).map(({ metadata, spec }) => [metadata.name, spec?.template.spec.containers[0]?.image]),
  );
  expect(images.get('moved-reads-1')).toBe('older.lab.example/seqpanel/pipeline:1.0.0');
  expect(images.get('moved-cohort-1')).toBe('newer.lab.example/mirror/seqpanel/pipeline:1.0.0');
  expect((await cluster.get(CONFIG_MAPS, specName('moved'))).data).toEqual(frozen.data);
  expect(JSON.stringify(frozen.data)).not.toContain('lab.example');
  await second.stop();
});

test('check Jobs use the registry too', () => {
  const { checks, tasks } = readConfig({
    KUBECONFIG: join(cluster.dir, 'kubeconfig'),
    SEQPANEL_IMAGE_REGISTRY: 'registry.lab.example',
  });
  expect([checks.pod.imageRegistry, tasks.job.imageRegistry]).toEqual(['registry.lab.example', 'registry.lab.example']);
});

test('empty ids are left to the platform', () => {
  const env = { KUBECONFIG: join(cluster.dir, 'kubeconfig') };
  const { pod } = readConfig({ ...env, SEQPANEL_STEP_USER: '', SEQPANEL_STEP_GROUP: '' }).checks;
  expect([pod.runAsUser, pod.fsGroup]).toEqual([undefined, undefined]);
  expect(readConfig(env).checks.pod).toMatchObject({ runAsUser: 10001, fsGroup: 10001 });
  expect(() => readConfig({ ...env, SEQPANEL_STEP_USER: 'root' })).toThrow('SEQPANEL_STEP_USER');
});
