import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_MAPS, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { readConfig } from '../config.ts';
import { aPipeline } from '../testing/builders.ts';
import { startWorld, type World } from '../testing/world.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld();
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-shipped-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.stop();
});

/** Puts a Pipeline of that version into the release. JSON is YAML. */
function ship(version: string): void {
  const { apiVersion, kind, spec } = aPipeline();
  const pipeline = { apiVersion, kind, metadata: { name: `panel-${version}` }, spec: { ...spec, version } };
  writeFileSync(join(folder, `panel-${version}.yaml`), JSON.stringify(pipeline));
}
const installed = async (): Promise<string[]> =>
  (await world.client.list(PIPELINES, { signal: world.signal })).items.map(({ metadata }) => metadata.name).sort();
const release = (more: Record<string, string> = {}) => world.startOperator({ SEQPANEL_PIPELINES_DIR: folder, ...more });
const marked = (version: string) => world.until(CONFIG_MAPS, `seqpanel-applied-panel-${version}`, () => true);

test('[K8S-13] a shipped Pipeline is applied once: a deleted one stays away, a later release adds its own', async () => {
  ship('1.0.0');
  const first = release({ SEQPANEL_IMAGE_REGISTRY: 'registry.lab.example/mirror/' });
  await marked('1.0.0');
  const applied = await world.until(PIPELINES, 'panel-1.0.0', ({ status }) =>
    Boolean(status?.conditions?.some(({ type }) => type === 'Valid')),
  );
  const images = new Set(applied.spec.stages.flatMap(({ steps }) => steps.map(({ image }) => image)));
  expect([...images]).toEqual(['registry.lab.example/mirror/seqpanel/pipeline:1.0.0']);
  expect(applied.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Valid', status: 'True' }));
  await first.stop();

  await world.client.delete(PIPELINES, 'panel-1.0.0', { signal: world.signal, propagation: 'Background' });
  ship('1.1.0');
  const second = release();
  await marked('1.1.0');
  expect(await installed()).toEqual(['panel-1.1.0']);
  await second.stop();
});

test('one that was installed before by other means is left as it is', async () => {
  const { apiVersion, kind, spec } = aPipeline();
  const own = { ...spec, version: '2.0.0', displayName: 'Ours' };
  await world.create(PIPELINES, { apiVersion, kind, metadata: { name: 'panel-2.0.0' }, spec: own });
  ship('2.0.0');
  const operator = release();
  await marked('2.0.0');
  expect((await world.get(PIPELINES, 'panel-2.0.0')).spec.displayName).toBe('Ours');
  await operator.stop();
});

test('with a registry, check Jobs and the shipped images come from it, and no others are allowed', () => {
  const config = readConfig({
    KUBECONFIG: join(world.dir, 'kubeconfig'),
    SEQPANEL_IMAGE_REGISTRY: 'registry.lab.example',
    SEQPANEL_IMAGE_PREFIXES: 'quay.io/lab/',
  });
  expect(config.checks.image).toBe('registry.lab.example/seqpanel/pipeline:1.0.0');
  expect(config.imagePrefixes).toEqual(['registry.lab.example/seqpanel/', 'quay.io/lab/']);
  expect([...config.shippedPipelines.keys()]).toEqual(['panel-1.0.0']);
});

test('ids that are left empty are the platform’s to choose', () => {
  const env = { KUBECONFIG: join(world.dir, 'kubeconfig') };
  const { pod } = readConfig({ ...env, SEQPANEL_STEP_USER: '', SEQPANEL_STEP_GROUP: '' }).checks;
  expect([pod.runAsUser, pod.fsGroup]).toEqual([undefined, undefined]);
  expect(readConfig(env).checks.pod).toMatchObject({ runAsUser: 10001, fsGroup: 10001 });
  expect(() => readConfig({ ...env, SEQPANEL_STEP_USER: 'root' })).toThrow('SEQPANEL_STEP_USER');
});
