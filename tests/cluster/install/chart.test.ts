/** The chart rendered from its three examples, validated by the real API server, and the content of its objects. */
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { describeOnCluster } from '../binaries.ts';
import { type ControlPlane, startWith } from '../control-plane.ts';
import type { KubeObject } from '../kube-http.ts';
import { byKind, NS, openChart, ROOT, read, SECRET } from './chart.ts';
import { CHART, objectsOf, openHelm, podsOf } from './helm.ts';

const EXAMPLES = readdirSync(join(CHART, 'examples')).map((file) => file.replace('.yaml', ''));

describeOnCluster('the chart', (binaries) => {
  const { helm, render, example } = openChart(binaries.helm);

  test.each(EXAMPLES)('helm lint finds nothing in %s', async (name) => {
    expect(await helm('lint', '.', '--strict', '-f', join('examples', `${name}.yaml`))).toContain('0 chart(s) failed');
  });

  describe('on the real API server', () => {
    let plane: ControlPlane;
    let folder: string;
    beforeAll(async () => {
      plane = await startWith(binaries, [twin('ServiceMonitor'), twin('PrometheusRule')]);
      folder = await mkdtemp(join(tmpdir(), 'seqpanel-chart-'));
      const metadata = { name: NS, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
      await plane.kube.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
      // Default limits of a shared cluster for pods without requests, below the needs of our pods.
      const limit = { type: 'Container', default: { cpu: '50m', memory: '64Mi' }, defaultRequest: { cpu: '20m' } };
      await plane.kube.create(`/api/v1/namespaces/${NS}/limitranges`, {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'defaults' },
        spec: { limits: [limit] },
      });
    }, 120_000);
    afterAll(async () => {
      await plane.stop();
      await rm(folder, { recursive: true });
    });

    test.each(EXAMPLES)(
      '%s: every object is accepted, and every pod is admitted where restricted is enforced',
      async (name) => {
        const rendered = await example(name);
        const kubectl = openHelm(plane.kubectl, plane.kubeconfig);
        const file = join(folder, `${name}.json`);
        const apply = async (objects: KubeObject[], ...args: string[]) => {
          writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n'));
          return (await kubectl('apply', '-n', NS, '-f', file, ...args)).trim().split('\n');
        };
        // Pods of tests are rejected without it, also in a dry run.
        await apply(byKind(rendered, 'ServiceAccount'));
        const taken = await apply(rendered, '--dry-run=server');
        expect(taken).toHaveLength(rendered.length);
        expect(taken.every((line) => line.endsWith('(server dry run)'))).toBe(true);

        await apply(byKind(rendered, 'ServiceAccount'));
        const pods = rendered.flatMap(podsOf);
        const names = pods.map(({ metadata }) => metadata.name);
        expect(names).toEqual(
          expect.arrayContaining(['seqpanel-api-pod', 'seqpanel-operator-pod', 'seqpanel-test-demo']),
        );
        for (const pod of pods) {
          const answer = await plane.kube.call('POST', `/api/v1/namespaces/${NS}/pods?dryRun=All`, pod);
          expect([pod.metadata.name, answer.status, answer.body.message]).toEqual([pod.metadata.name, 201, undefined]);
        }
      },
    );

    test('the notes list the allowed images and unused values', async () => {
      const install = (...values: string[]) =>
        openHelm(binaries.helm, plane.kubeconfig)(
          ...['install', 'seqpanel', '.', '--namespace', 'default', '--dry-run=client', ...SECRET],
          ...values.flatMap((value) => ['--set', value]),
        );
      const notes = await install('images.registry=registry.lab.example/mirror', 'images.api=quay.io/lab/api:2');
      const images = notes.slice(notes.indexOf('Images (')).match(/^ {2}\S+\/\S+:\S+$/gm)!;
      expect(images.slice(0, 3).map((image) => image.trim())).toEqual([
        'quay.io/lab/api:2',
        'registry.lab.example/mirror/seqpanel/operator:0.1.0',
        'registry.lab.example/mirror/seqpanel/pipeline:1.0.0',
      ]);
      const unused = 'postgres.external.host is ignored';
      expect(notes).not.toContain(unused);
      expect(await install('postgres.external.host=db.lab.example')).toContain(unused);
    });

    test('a second installation in the namespace is refused; an upgrade of the first is not', async () => {
      const onCluster = openHelm(binaries.helm, plane.kubeconfig);
      const rendered = (release: string) =>
        onCluster('template', release, '.', '--namespace', NS, '--dry-run=server', ...SECRET).then(
          () => 'taken',
          (error: Error) => error.message,
        );
      expect(await rendered('first')).toBe('taken');
      const operator = byKind(objectsOf(await helm('template', 'first', '.', ...SECRET)), 'Deployment')[0]!;
      await plane.kube.create(`/apis/apps/v1/namespaces/${NS}/deployments`, operator);
      expect(await rendered('first')).toBe('taken');
      expect(await rendered('second')).toContain(`namespace ${NS} has the installation first already`);
    });
  });

  test('the definitions are those of crds/, are kept when the release is deleted, and can be omitted', async () => {
    const found = byKind(await render(...SECRET), 'CustomResourceDefinition');
    const source = readdirSync(join(ROOT, 'crds/yaml')).map((file) => parse(read('crds/yaml', file)) as KubeObject);
    expect(found.map(({ spec }) => spec)).toEqual(source.map(({ spec }) => spec));
    for (const { metadata } of found) expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep');
    expect(byKind(await render(...SECRET, '--set', 'crds.install=false'), 'CustomResourceDefinition')).toEqual([]);
  });

  test('the programs read every setting that the chart sets', async () => {
    const objects = await example('shared-cluster', '--set', 'ldap.url=ldaps://d.example,ldap.searchBase=dc=example');
    const sources = {
      api: ['config', 'db/database-settings', 'session/sign-in-settings'].map((at) => read(`api/src/${at}.ts`)).join(),
      operator: read('operator/src/config.ts'),
    };
    for (const [name, source] of Object.entries(sources)) {
      const deployment = byKind(objects, 'Deployment').find(({ metadata }) => metadata.name === `seqpanel-${name}`);
      const given = deployment!.spec.template.spec.containers[0].env.map((entry: { name: string }) => entry.name);
      const own = given.filter((key: string) => key.startsWith('SEQPANEL_'));
      expect(own.length).toBeGreaterThan(8);
      expect(own.filter((key: string) => !source.includes(`${key}:`))).toEqual([]);
    }
  });

  test('the metrics of alerts and dashboard exist in the programs', async () => {
    const files = ['api/src/system/measures.ts', 'api/src/app.ts', 'operator/src/metrics.ts'];
    const sources = files.map((path) => read(path)).join('\n');
    const rules = byKind(await example('shared-cluster'), 'PrometheusRule')[0]!.spec.groups[0].rules as KubeObject[];
    // Each is in the runbook. An external database has its own monitoring.
    const runbook = [...read('docs/operations/metrics.md').matchAll(/^\| (SeqPanel\w+) \|/gm)].map(([, name]) => name!);
    expect(rules.map(({ alert }) => alert).sort()).toEqual(runbook.filter((name) => !/Database/.test(name)).sort());
    const texts = [...rules.map(({ expr }) => expr as string), read('helm/files/dashboard.json')];
    const named = texts.flatMap((text) => text.match(/seqpanel_[a-z_]+/g) ?? []);
    expect(new Set(named).size).toBeGreaterThan(8);
    const known = (name: string) => sources.includes(`'${name.replace(/_(bucket|count)$/, '')}'`);
    expect(named.filter((name) => !known(name))).toEqual([]);
  });

  test('data is kept when the release is deleted, unless requested otherwise', async () => {
    const policies = async (...args: string[]) => {
      const objects = await render(...SECRET, ...args);
      const claim = byKind(objects, 'PersistentVolumeClaim')[0]!;
      const [database] = byKind(objects, 'StatefulSet');
      const { whenDeleted } = database!.spec.persistentVolumeClaimRetentionPolicy;
      return [claim.metadata.annotations?.['helm.sh/resource-policy'], whenDeleted];
    };
    expect(await policies()).toEqual(['keep', 'Retain']);
    expect(await policies('--set', 'keepData=false')).toEqual([undefined, 'Delete']);
  });

  test('the api serves with its own role, and only its init container has the owner’s password', async () => {
    const roles = async (...args: string[]) => {
      const [api] = byKind(await render(...SECRET, ...args), 'Deployment');
      const { initContainers, containers, volumes } = api!.spec.template.spec;
      const of = (container: KubeObject) => ({
        urls: container.env
          .filter(({ name }: KubeObject) => /DATABASE.*URL/.test(name))
          .map(({ value }: KubeObject) => new URL(value).username),
        keys: container.volumeMounts
          .flatMap(({ name }: KubeObject) =>
            (volumes.find((volume: KubeObject) => volume.name === name).secret?.items ?? []).map(
              ({ key }: KubeObject) => key,
            ),
          )
          .filter((key: string) => key.startsWith('postgres')),
      });
      return [of(initContainers[0]), of(containers[0])];
    };
    expect(await roles()).toEqual([
      { urls: ['seqpanel_api', 'seqpanel'], keys: ['postgres-api-password', 'postgres-password'] },
      { urls: ['seqpanel_api'], keys: ['postgres-api-password'] },
    ]);
    const external = [
      '--set',
      'postgres.bundled=false,postgres.external.host=db.lab.example,postgres.external.user=lab',
    ];
    expect(await roles(...external, '--set', 'postgres.external.ownerUser=dba')).toEqual([
      { urls: ['lab', 'dba'], keys: ['postgres-api-password', 'postgres-password'] },
      { urls: ['lab'], keys: ['postgres-api-password'] },
    ]);
    const single = { urls: ['lab'], keys: ['postgres-password'] };
    expect(await roles(...external)).toEqual([single, single]);
  });

  test('the Secret may lack the passwords of the first administrator and of helm test, but not the session secret', async () => {
    const volumesOf = async (...values: string[]) => {
      const objects = await render(...SECRET, ...values);
      const api = byKind(objects, 'Deployment').find(({ metadata }) => metadata.name === 'seqpanel-api')!;
      const demo = byKind(objects, 'Pod').find(({ metadata }) => metadata.name === 'seqpanel-test-demo')!;
      const secrets = [...api.spec.template.spec.volumes, ...demo.spec.volumes].filter(({ secret }) => secret);
      return Object.fromEntries(
        secrets.map(({ name, secret }: KubeObject) => [
          name === 'secret' && secret.optional ? 'test pod' : name,
          [secret.secretName, secret.items.map(({ key }: KubeObject) => key).join(), secret.optional ?? false],
        ]),
      );
    };
    expect(await volumesOf()).toMatchObject({
      secret: ['seqpanel', 'session-secret', false],
      'first-admin': ['seqpanel', 'first-admin-password', true],
      'test-account': ['seqpanel', 'test-password', true],
      'test pod': ['seqpanel', 'test-password', true],
    });
    expect(await volumesOf('--set', 'tests.existingSecret=lab-tests')).toMatchObject({
      'test-account': ['lab-tests', 'password', true],
      'test pod': ['lab-tests', 'password', true],
    });
  });

  test('login limits are passed to the api', async () => {
    const values = [
      'api.loginsPerMinute=12,ldap.url=ldap://directory.lab.example,ldap.searchBase=dc=lab,ldap.allowPlaintext=true',
      'oidc.issuer=https://login.lab.example,oidc.publicUrl=https://seqpanel.lab.example',
      'oidc.allowedClaim=groups,oidc.allowedValues={sequencing,admins}',
    ];
    const objects = await render(...SECRET, '--set', values.join());
    const api = byKind(objects, 'Deployment').find(({ metadata }) => metadata.name === 'seqpanel-api')!;
    const env = api.spec.template.spec.containers[0].env as KubeObject[];
    expect(Object.fromEntries(env.map(({ name, value }) => [name, value]))).toMatchObject({
      SEQPANEL_LOGINS_PER_MINUTE: '12',
      SEQPANEL_LDAP_PLAINTEXT: 'allow',
      SEQPANEL_OIDC_ALLOWED_CLAIM: 'groups',
      SEQPANEL_OIDC_ALLOWED_VALUES: 'sequencing,admins',
    });
    const plain = await render(...SECRET, '--set', 'ldap.url=ldap://directory.lab.example,ldap.searchBase=dc=lab');
    expect(JSON.stringify(plain)).not.toContain('SEQPANEL_LDAP_PLAINTEXT');
  });

  test('IPv6 addresses are accepted for every address, and dual stack on request', async () => {
    const six = [
      'postgres.bundled=false,postgres.external.host=fd00::5,postgres.external.port=6432',
      'networkPolicy.kubernetesApi.cidrs={fd00::1/128},ldap.url=ldaps://[fd00::7]:1636,ldap.searchBase=dc=lab',
      'images.registry=[fd00::9]:5000/mirror,oidc.issuer=https://[fd00::8],oidc.publicUrl=https://[fd00::6]',
    ];
    const objects = await render(...SECRET, '--set', `${six.join()},api.service.ipFamilyPolicy=PreferDualStack`);
    const api = byKind(objects, 'Deployment').find(({ metadata }) => metadata.name === 'seqpanel-api')!;
    const [container] = api.spec.template.spec.containers;
    const env = Object.fromEntries(container.env.map(({ name, value }: KubeObject) => [name, value]));
    expect(container.image).toBe('[fd00::9]:5000/mirror/seqpanel/api:0.1.0');
    expect(env.SEQPANEL_HOST).toBe('*');
    const { host, port } = new pg.Client({ connectionString: env.DATABASE_URL });
    expect([host, port]).toEqual(['fd00::5', 6432]);
    const policy = byKind(objects, 'NetworkPolicy').find(({ metadata }) => metadata.name === 'seqpanel-api')!;
    expect(policy.spec.egress).toContainEqual({
      ports: [443, 6443].map((one) => ({ port: one, protocol: 'TCP' })),
      to: [{ ipBlock: { cidr: 'fd00::1/128' } }],
    });
    const ports = policy.spec.egress.flatMap((rule: Rule) => rule.ports.map((one) => one.port));
    expect(ports).toEqual(expect.arrayContaining([6432, 1636, 443]));
    const service = byKind(objects, 'Service').find(({ metadata }) => metadata.name === 'seqpanel-api')!;
    expect(service.spec.ipFamilyPolicy).toBe('PreferDualStack');
    // Otherwise the cluster decides, because an IPv6-only cluster would reject an explicit family.
    for (const { spec } of byKind(await render(...SECRET), 'Service'))
      expect([spec.ipFamilyPolicy, spec.ipFamilies]).toEqual([undefined, undefined]);
  });

  test('names that look like numbers are quoted', async () => {
    const names = ['storage.existingClaim', 'caBundle', 'tests.existingSecret', 'tasks.kueueQueue'];
    const more = ['api.priorityClassName', 'images.pullSecrets[0]', 'ingress.className', 'ldap.existingSecret'];
    const given = [...names, ...more, 'secrets.existingSecret', 'ingress.host', 'ingress.tlsSecret'];
    const text = await helm(
      ...['template', 'y', '.', '--namespace', '1234', '--set', 'ingress.enabled=true,workers.enabled=true'],
      ...given.flatMap((name) => ['--set-string', `${name}=1234`]),
    );
    const found = JSON.stringify(objectsOf(text)).match(/.{0,60}[:[]1234\b(?!:)/g) ?? [];
    expect(found).toEqual([]);
    // Values that some YAML parsers read as true.
    expect(text).not.toMatch(/instance: y$/m);
  });

  test('ReadWriteOnce is accepted on a single node', async () => {
    const [claim] = byKind(await example('small'), 'PersistentVolumeClaim');
    expect(claim!.spec.accessModes).toEqual(['ReadWriteOnce']);
  });
});

type Rule = { ports: { port: number | string }[] };

/** A definition of a kind of the Prometheus operator, without its schema. */
function twin(kind: string): KubeObject {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
