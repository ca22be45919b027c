/**
 * A real Kubernetes control plane for tests: etcd, API server, controller manager and scheduler on free ports of
 * 127.0.0.1, with all files in a temporary folder. Ready in about 4 s, needs no root. Several can run in parallel.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAudited, keepUses } from './audit.ts';
import { type ClusterBinaries, findBinaries } from './binaries.ts';
import { Daemon, freePorts } from './daemon.ts';
import { eventually, KubeHttp, type KubeObject, kubeconfigOf } from './kube-http.ts';

export interface ControlPlane {
  url: string;
  token: string;
  /** PEM of the API server's certificate chain. */
  ca: string;
  /** Path of a kubeconfig file of a cluster administrator. */
  kubeconfig: string;
  kubectl: string;
  helm: string;
  kube: KubeHttp;
  /** Its processes, in the order of their start. */
  daemons: readonly Daemon[];
  /** Starts kwok and that many fake nodes, and waits until they are Ready. stages.yaml defines the states of pods. */
  startKwok(nodes: number): Promise<void>;
  /** Compacts etcd, so that older watches and continue tokens get 410. */
  compact(): Promise<void>;
  /** Ends only the API server, by SIGKILL unless another signal is given. All connections to it break. */
  stopApiserver(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the API server again with the same port, data, certificate and audit log. Resolves when it is ready. */
  startApiserver(): Promise<void>;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /**
   * File to which the API server appends one JSON line per request of a service account (audit.k8s.io/v1, level
   * Metadata) before it answers. Each control plane has one when a whole run is audited.
   */
  auditLog?: string;
  /** Users besides the administrator, with the rights granted by RBAC. */
  extraTokens?: { token: string; user: string; groups?: string[] }[];
  /**
   * Runs each controller under its own service account, as on a real cluster. Otherwise all run as the administrator.
   */
  serviceAccountCredentials?: boolean;
  controllerManagerArgs?: string[];
  apiserverArgs?: string[];
  /** Folder for all files, kept after the stop. Default: a temporary folder. */
  folder?: string;
  /** For kubelets and pods: an address that is not loopback, a port, and the certificate for kubelets (PEM files). */
  forNodes?: { address: string; port: number; certificate: string; key: string };
}

/**
 * Starts a control plane with these CustomResourceDefinitions. Returns `{ skipped }` with the missing programs. Throws
 * with the end of a log when a part does not start.
 */
export async function startControlPlane(
  definitions?: KubeObject[],
  options?: ControlPlaneOptions,
): Promise<ControlPlane | { skipped: string }> {
  const binaries = findBinaries();
  return 'skipped' in binaries ? binaries : startWith(binaries, definitions, options);
}

/** Same as startControlPlane, for known binaries. */
export async function startWith(
  binaries: ClusterBinaries,
  definitions: KubeObject[] = [],
  options: ControlPlaneOptions = {},
): Promise<ControlPlane> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'seqpanel-cluster-'));
  const { forNodes } = options;
  const at = (name: string) => join(folder, name);
  const auditLog = options.auditLog ?? (isAudited() ? at('audit.log') : undefined);
  const daemons: Daemon[] = [];
  const start = (name: string, program: string, args: string[]) => {
    const daemon = new Daemon(name, program, args, at(`${name}.log`));
    daemons.push(daemon);
    return daemon;
  };
  const stop = async () => {
    kube?.close();
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    if (auditLog) keepUses(auditLog);
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  const token = randomBytes(16).toString('hex');
  let kube: KubeHttp | undefined;

  try {
    const [etcdPort, peerPort, apiPort] = (await freePorts(3)) as [number, number, number];
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const peerUrl = `http://127.0.0.1:${peerPort}`;
    const address = forNodes?.address ?? '127.0.0.1';
    const port = forNodes?.port ?? apiPort;
    const url = `https://${address}:${port}`;
    const keys = generateKeyPairSync('ec', {
      namedCurve: 'prime256v1',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(at('sa.key'), keys.privateKey, { mode: 0o600 });
    writeFileSync(at('sa.pub'), keys.publicKey);
    const tokens = [{ token, user: 'administrator', groups: ['system:masters'] }, ...(options.extraTokens ?? [])];
    const row = ({ token, user, groups = [] }: (typeof tokens)[number]) => `${token},${user},${user},"${groups}"\n`;
    writeFileSync(at('tokens.csv'), tokens.map(row).join(''), { mode: 0o600 });

    start('etcd', binaries.etcd, [
      ...['--name', 'tests', '--data-dir', at('etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
      ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl, '--listen-peer-urls', peerUrl],
      ...['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `tests=${peerUrl}`],
    ]);
    const apiserverArgs = [
      ...['--etcd-servers', etcdUrl, '--bind-address', address, '--advertise-address', address],
      ...['--secure-port', String(port), '--cert-dir', at('certs'), ...nodeArgs(forNodes)],
      ...['--service-cluster-ip-range', '10.96.0.0/16', '--authorization-mode', 'Node,RBAC', '--allow-privileged'],
      ...['--token-auth-file', at('tokens.csv'), '--service-account-issuer', 'https://kubernetes.default.svc'],
      ...['--service-account-key-file', at('sa.pub'), '--service-account-signing-key-file', at('sa.key')],
      // With this feature gate, pages are served from memory for minutes after a compaction, so 410 could not be
      // tested.
      '--feature-gates=ListFromCacheSnapshot=false',
      ...auditArgs(auditLog),
      ...['--max-requests-inflight', '2000', '--max-mutating-requests-inflight', '1000'],
      ...(options.apiserverArgs ?? []),
    ];
    let apiserver = start('apiserver', binaries.apiserver, apiserverArgs);
    const ca = await eventually('certificate of the API server', async () => {
      if (!apiserver.running) throw new Error(apiserver.tail());
      return readFileSync(at('certs/apiserver.crt'), 'utf8') || undefined;
    });
    const client = new KubeHttp({ url, token, ca });
    kube = client;
    const ready = () =>
      eventually(
        'API server ready',
        async () => {
          if (!apiserver.running) throw new Error(apiserver.tail());
          return (await client.call('GET', '/readyz')).status === 200;
        },
        60,
      );
    await ready();

    // Before the controllers start, because the garbage collector looks for new kinds only every 30 s.
    await installDefinitions(client, definitions);

    const kubeconfig = at('kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf({ url, token, ca }), { mode: 0o600 });
    start('controller-manager', binaries.controllerManager, [
      ...['--kubeconfig', kubeconfig, '--leader-elect=false', '--secure-port=0', '--kube-api-qps=500'],
      ...['--kube-api-burst=1000', '--concurrent-job-syncs=20', '--pvclaimbinder-sync-period=1s'],
      ...['--service-account-private-key-file', at('sa.key')],
      ...(options.serviceAccountCredentials ? ['--use-service-account-credentials'] : []),
      ...(forNodes ? ['--root-ca-file', at('certs/apiserver.crt')] : []),
      ...(options.controllerManagerArgs ?? []),
    ]);
    start('scheduler', binaries.scheduler, [
      ...['--kubeconfig', kubeconfig, '--leader-elect=false', '--secure-port=0', '--kube-api-qps=500'],
      '--kube-api-burst=1000',
    ]);
    await eventually('service account of the namespace default', () =>
      client.get('/api/v1/namespaces/default/serviceaccounts/default'),
    );

    return {
      url,
      token,
      ca,
      kubeconfig,
      kubectl: binaries.kubectl,
      helm: binaries.helm,
      kube: client,
      daemons,
      stop,
      compact: () => compactEtcd(etcdUrl),
      stopApiserver: (signal) => apiserver.stop(signal),
      startApiserver: async () => {
        if (apiserver.running) throw new Error('the API server runs already');
        apiserver = start('apiserver', binaries.apiserver, apiserverArgs);
        await ready();
      },
      startKwok: async (nodes) => {
        const kwok = start('kwok', binaries.kwok, [
          ...['--kubeconfig', kubeconfig, '--config', join(import.meta.dirname, 'stages.yaml')],
          ...['--manage-all-nodes=false', '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake'],
          '--node-lease-duration-seconds=40',
        ]);
        for (let i = 0; i < nodes; i++) {
          const metadata = { name: `fake-${i}`, annotations: { 'kwok.x-k8s.io/node': 'fake' } };
          await client.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
        }
        await eventually('fake nodes ready', async () => {
          if (!kwok.running) throw new Error(kwok.tail());
          const { items } = await client.get('/api/v1/nodes');
          return items.filter((node: KubeObject) => isFake(node) && !node.spec.taints).length === nodes;
        });
      },
    };
  } catch (error) {
    const logs = daemons.map((daemon) => `--- ${daemon.name}\n${daemon.tail()}`).join('\n');
    await stop();
    throw new Error(`the control plane did not start: ${error}\n${logs}`, { cause: error });
  }
}

function nodeArgs(forNodes: ControlPlaneOptions['forNodes']): string[] {
  // As on OpenShift: blocking the deletion of an owner requires the right to set its finalizers.
  const plugin = 'OwnerReferencesPermissionEnforcement';
  // An Endpoints object may not contain loopback, and without pods nothing uses the service "kubernetes".
  if (forNodes === undefined) return ['--endpoint-reconciler-type', 'none', '--enable-admission-plugins', plugin];
  return [
    ...['--kubelet-client-certificate', forNodes.certificate, '--kubelet-client-key', forNodes.key],
    ...['--kubelet-preferred-address-types', 'InternalIP', '--enable-admission-plugins', `NodeRestriction,${plugin}`],
  ];
}

function auditArgs(file: string | undefined): string[] {
  if (file === undefined) return [];
  const policy = join(import.meta.dirname, 'audit-policy.yaml');
  // Keeps one file instead of rotating it at 100 MB.
  return ['--audit-log-path', file, '--audit-policy-file', policy, '--audit-log-maxsize', '10240'];
}

/** Applies CustomResourceDefinitions and waits until their kinds are served. */
async function installDefinitions(kube: KubeHttp, definitions: KubeObject[]): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await Promise.all(definitions.map((definition) => kube.create(path, definition)));
  for (const { spec } of definitions) {
    const { plural } = spec.names;
    await eventually(`${plural} served`, () => kube.get(`/apis/${spec.group}/${spec.versions[0].name}/${plural}`));
  }
}

const isFake = (node: KubeObject) => node.metadata.annotations?.['kwok.x-k8s.io/node'] === 'fake';

/** Compacts at the current revision, through etcd's JSON gateway. */
async function compactEtcd(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { header: { revision: string } };
  };
  const { header } = await post('/v3/kv/range', { key: Buffer.from('/').toString('base64'), limit: '1' });
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}
