/** The chart's NetworkPolicies on a cluster that enforces them: connections between pods with the product's labels. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { componentLabels } from '../../../operator/src/jobs/labels.ts';
import { objectsOf, openHelm, podsOf } from '../install/helm.ts';
import { eventually, type KubeObject } from '../kube-http.ts';
import { BUSYBOX_IMAGE } from './busybox-image.ts';
import { describeOnNodes } from './describe-on-nodes.ts';

const NS = `policies-${randomBytes(4).toString('hex')}`;
/** Stands for everything outside, and for clients allowed by networkPolicy.from. */
const OUTSIDE = `${NS}-outside`;
const KUBELET_PORT = 10250;
const PATIENCE_MS = 180_000;
const POLICIES = `/apis/networking.k8s.io/v1/namespaces/${NS}/networkpolicies`;
/** A port outside other than 443. */
const OTHER_PORTS = [8081, 8082, 8083];
/** Targets that a pod without policies reaches in any case. */
const ANYWAY = ['kubernetes', 'kubelet', 'names', 'web', ...OTHER_PORTS.map((port) => `:${port}`)];
/** Minimal values of the chart. */
const SECRET = ['--set', 'secrets.existingSecret=seqpanel'];

describeOnNodes('the NetworkPolicies of the chart', (cluster) => {
  const kube = () => cluster().kube;
  const render = async (...args: string[]) =>
    objectsOf(await openHelm(cluster().helm)('template', 'seqpanel', '.', '--namespace', NS, ...SECRET, ...args));
  /** Address and port of a tried connection. */
  const targets = new Map<string, { address: string; port: number }>();

  async function startPod(namespace: string, name: string, labels: Record<string, string>, ports: KubeObject[]) {
    const listen = ports.map(({ containerPort }) => `httpd -p ${containerPort} -h /`).join('; ');
    const [first] = ports;
    await kube().create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'main',
            image: BUSYBOX_IMAGE,
            command: ['sh', '-c', `${listen || ':'}; exec sleep 3600`],
            ports,
            // Checked by the kubelet, because no policy may block a node from its pods.
            ...(first && { readinessProbe: { tcpSocket: { port: first.containerPort }, periodSeconds: 1 } }),
          },
        ],
      },
    });
  }

  async function readyAddress(namespace: string, name: string): Promise<string> {
    const pod = await eventually(
      `pod ${name} ready`,
      async () => {
        const { status } = await kube().get(`/api/v1/namespaces/${namespace}/pods/${name}`);
        return (
          status.conditions?.some(({ type, status }: KubeObject) => type === 'Ready' && status === 'True') && status
        );
      },
      90,
    );
    return pod.podIP;
  }

  /** Returns the targets and service names that the pod reaches. */
  async function reached(namespace: string, pod: string): Promise<string[]> {
    const tries = [...targets].map(
      ([name, { address, port }]) => `(nc -w 2 ${address} ${port} </dev/null >/dev/null 2>&1 && echo ${name}) &`,
    );
    const look = 'kubernetes.default.svc.cluster.local';
    const script = `${tries.join('\n')} (timeout 2 nslookup ${look} >/dev/null 2>&1 && echo names) & wait`;
    const { kubectl, kubeconfig } = cluster();
    const { stdout } = await promisify(execFile)(kubectl, [
      ...['--kubeconfig', kubeconfig, '--namespace', namespace, 'exec', pod, '--', 'sh', '-c', script],
    ]);
    return stdout.trim().split('\n').filter(Boolean).sort();
  }

  /**
   * Returns the reached targets of each pod by name. Retries, because policies take effect some time after their
   * creation.
   */
  async function expectReached(wanted: Record<string, string[]>): Promise<void> {
    const expected = Object.fromEntries(Object.entries(wanted).map(([pod, names]) => [pod, [...names].sort()]));
    const pods = Object.keys(expected);
    let last: Record<string, string[]> = {};
    const same = async () => {
      const found = await Promise.all(pods.map((pod) => reached(pod === 'outside' ? OUTSIDE : NS, pod)));
      last = Object.fromEntries(pods.map((pod, i) => [pod, found[i]!]));
      return JSON.stringify(last) === JSON.stringify(expected);
    };
    await eventually('just that is reached', same, 40).catch(() => undefined);
    expect(last).toEqual(expected);
  }

  async function apply(...args: string[]): Promise<void> {
    await kube().ok('DELETE', POLICIES);
    const rendered = await render(...args);
    for (const policy of rendered.filter(({ kind }) => kind === 'NetworkPolicy')) await kube().create(POLICIES, policy);
  }

  /** Address of the API server behind its service. */
  async function kubernetesApi(): Promise<{ addresses: string[]; port: number }> {
    const { subsets } = await kube().get('/api/v1/namespaces/default/endpoints/kubernetes');
    return { addresses: subsets[0].addresses.map(({ ip }: KubeObject) => ip), port: subsets[0].ports[0].port };
  }

  beforeAll(async () => {
    for (const name of [NS, OUTSIDE]) {
      const labels = name === OUTSIDE ? { 'seqpanel.dev/test': 'ingress' } : {};
      await kube().create('/api/v1/namespaces', { metadata: { name, labels } });
      await eventually('service account', () => kube().get(`/api/v1/namespaces/${name}/serviceaccounts/default`));
    }
    const rendered = await render();
    const pods = rendered.flatMap(podsOf);
    for (const [name, made] of [
      ['api', 'seqpanel-api-pod'],
      ['operator', 'seqpanel-operator-pod'],
      ['postgres', 'seqpanel-postgres-pod'],
      ['helm-test', 'seqpanel-test-login'],
    ] as const) {
      const { metadata, spec } = pods.find((pod) => pod.metadata.name === made)!;
      await startPod(NS, name, metadata.labels, spec.containers[0].ports ?? []);
    }
    const web = (port: number) => ({ name: `p${port}`, containerPort: port });
    for (const component of ['stage', 'check', 'genome'] as const)
      await startPod(NS, component, componentLabels(component), [web(8080)]);
    await startPod(OUTSIDE, 'outside', {}, [443, ...OTHER_PORTS].map(web));
    for (const service of rendered.filter(({ kind }) => kind === 'Service')) {
      const made = await kube().create(`/api/v1/namespaces/${NS}/services`, service);
      const { clusterIP, ports } = made.spec;
      if (clusterIP !== 'None')
        targets.set(service.metadata.name.replace('seqpanel-', ''), { address: clusterIP, port: ports[0].port });
    }
    targets.set('operator', { address: await readyAddress(NS, 'operator'), port: 9090 });
    targets.set('stage', { address: await readyAddress(NS, 'stage'), port: 8080 });
    const outside = await readyAddress(OUTSIDE, 'outside');
    targets.set('web', { address: outside, port: 443 });
    for (const port of OTHER_PORTS) targets.set(`:${port}`, { address: outside, port });
    const { spec } = await kube().get('/api/v1/namespaces/default/services/kubernetes');
    targets.set('kubernetes', { address: spec.clusterIP, port: spec.ports[0].port });
    const { items } = await kube().get('/api/v1/nodes');
    const address = items[0].status.addresses.find(({ type }: KubeObject) => type === 'InternalIP').address;
    targets.set('kubelet', { address, port: KUBELET_PORT });
  }, PATIENCE_MS);
  afterAll(async () => {
    for (const name of [NS, OUTSIDE]) await kube().ok('DELETE', `/api/v1/namespaces/${name}`);
  }, PATIENCE_MS);

  test(
    'without policies every pod reaches all, so only policies cause denials',
    async () => {
      const all = [...targets.keys(), 'names'];
      await expectReached({ stage: all, operator: all, outside: all });
    },
    PATIENCE_MS,
  );

  test(
    'each pod of the product reaches only what its work needs; pods of steps reach nothing',
    async () => {
      await apply();
      await expectReached({
        stage: ['stage'], // itself
        check: [],
        genome: [],
        postgres: ['postgres'],
        'helm-test': ['api', 'names'],
        // Without the address of the Kubernetes API in the values, its usual ports are open for all addresses.
        operator: ['operator', 'kubernetes', 'names', 'web'],
        api: ['api', 'api-metrics', 'postgres', 'kubernetes', 'names', 'web'],
        outside: ['api', 'api-metrics', 'operator', ...ANYWAY],
      });
    },
    PATIENCE_MS,
  );

  test(
    'downloads of genomes reach the web when hosts are allowed, other steps reach nothing',
    async () => {
      await apply('--set', 'genomes.hosts={genomes.example}');
      const { port } = await kubernetesApi();
      const genome = ['names', 'web', ...(port === 443 ? ['kubernetes'] : [])];
      await expectReached({ genome, stage: ['stage'], check: [] });
      await apply('--set', 'genomes.hosts={genomes.example},proxy.https=http://proxy.example:8081');
      await expectReached({ genome: [...genome, ':8081'], stage: ['stage'] });
    },
    PATIENCE_MS,
  );

  test(
    'a directory, a login provider and an external database are reached at the ports in the values',
    async () => {
      await apply(
        ...['--set', 'ldap.url=ldaps://directory.example:8081,ldap.searchBase=dc=example'],
        ...['--set', 'oidc.issuer=https://login.example:8082,oidc.publicUrl=https://console.example'],
        ...['--set', 'postgres.bundled=false,postgres.external.host=db.example,postgres.external.port=8083'],
      );
      await expectReached({
        api: ['api', 'api-metrics', 'kubernetes', 'names', 'web', ':8081', ':8082', ':8083'],
        operator: ['operator', 'kubernetes', 'names', 'web'],
      });
    },
    PATIENCE_MS,
  );

  test(
    'with the address of the Kubernetes API and the allowed clients in the values, the product opens nothing else',
    async () => {
      const cidrs = [...(await kubernetesApi()).addresses, targets.get('kubernetes')!.address].map((ip) => `${ip}/32`);
      const allow = (label: string) =>
        apply(
          ...['--set', `networkPolicy.kubernetesApi.cidrs={${cidrs.join(',')}}`],
          ...['--set', `networkPolicy.from[0].namespaceSelector.matchLabels.seqpanel\\.dev/test=${label}`],
        );
      await allow('somebody-else');
      await expectReached({
        operator: ['operator', 'kubernetes', 'names'],
        api: ['api', 'api-metrics', 'postgres', 'kubernetes', 'names'],
        'helm-test': ['api', 'names'],
        outside: ANYWAY,
      });
      await allow('ingress');
      await expectReached({ outside: ['api', 'api-metrics', 'operator', ...ANYWAY] });
      await readyAddress(NS, 'api');
    },
    PATIENCE_MS,
  );
});
