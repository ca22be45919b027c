/** The local control plane: store, HTTP server, controllers and job runner, wired. */

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Collector } from './collector.ts';
import { startServer, USER } from './http/server.ts';
import { JobController } from './jobs/job-controller.ts';
import { BACKOFF_MS } from './jobs/job-sync.ts';
import type { Obj } from './objects/metadata.ts';
import { Registry } from './objects/registry.ts';
import { builtInResources, customResource, NAMESPACE, readCrds } from './objects/resources.ts';
import { badRequest } from './objects/status.ts';
import { Store } from './objects/store.ts';
import { Kubelet } from './pods/kubelet.ts';
import { machineSize, nodeName, registerNode } from './pods/node.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** What a caller gives to run a local control plane. */
export interface LocalControlPlaneOptions {
  /** Everything it writes: the store, the token, the pods' folders and logs. Made when absent. */
  dataDir: string;
  /** The storage root that pods see as SEQPANEL_STORAGE. */
  storageDir: string;
  /** 0 (the default) takes any free port of 127.0.0.1. */
  port?: number;
  /** Namespaces made at start beside `default`. */
  namespaces?: string[];
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
  /** Scheduler and kubelet: false leaves pods Pending, so that a test plays the kubelet by writing their status. Default true. */
  runner?: boolean;
  /** The Job controller; default true, also without the runner. */
  jobController?: boolean;
  /** Delay before the first retry of a failed index; 10 s as kube-controller-manager has it. */
  jobBackoffMs?: number;
  /** Put first on the pods' PATH. Default: pipeline-images/bin and the folder of this Node. */
  path?: string[];
  /**
   * The machine's size as the scheduler sees it, CPU in cores, memory in bytes. Default: this machine's, and then a pod
   * that asks for more gets all of it instead of waiting for ever.
   */
  capacity?: { cpu: number; memory: number };
}

/** A running local control plane. */
export interface LocalControlPlane {
  /** Base URL, plain http. */
  url: string;
  /** Bearer token of the one user; kept in the data folder. */
  token: string;
  /** Writes a kubeconfig (mode 0600) to the path. */
  kubeconfig(path: string): void;
  /** Forgets every version before this one, as an API server does after five minutes. */
  compact(): void;
  /** Ends watches, stops pods (SIGTERM, then SIGKILL), closes the store. */
  stop(): Promise<void>;
}

function tokenOf(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const token = randomBytes(24).toString('base64url');
  writeFileSync(file, token, { mode: 0o600 });
  return token;
}

function writeKubeconfig(path: string, server: string, token: string): void {
  const named = (kind: string, value: object) => [{ name: 'seqpanel', [kind]: value }];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'seqpanel',
    // The token stands in the URL for kubectl, which sends none over plain http, and as a token for everybody else.
    clusters: named('cluster', { server: server.replace('//', `//${USER}:${token}@`) }),
    users: named('user', { token }),
    contexts: named('context', {
      cluster: 'seqpanel',
      user: 'seqpanel',
      namespace: process.env['SEQPANEL_NAMESPACE'] ?? 'default',
    }),
  };
  mkdirSync(dirname(path), { recursive: true });
  // JSON is YAML.
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Starts it in this process. Throws when another process holds the data folder or the port is taken. */
export async function startLocalControlPlane(options: LocalControlPlaneOptions): Promise<LocalControlPlane> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  mkdirSync(options.storageDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const definitions = readCrds(join(ROOT, 'crds/yaml'));
  const store = new Store(join(dataDir, 'control-plane.db'));
  const registry = new Registry(store, [...builtInResources(), ...definitions.map(customResource)], options.now);
  const node = nodeName();
  const capacity = options.capacity ?? machineSize();
  const runner = options.runner ?? true;
  store.transaction(() => {
    for (const definition of definitions) registry.putDefinition(definition as unknown as Obj);
    for (const name of ['default', ...(options.namespaces ?? [])]) {
      if (!registry.find(NAMESPACE, '', name))
        registry.create(NAMESPACE, '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    if (runner) registerNode(registry, node, capacity);
  });
  const kubelet = runner
    ? new Kubelet({
        registry,
        nodeName: node,
        podsDir: join(dataDir, 'pods'),
        storageDir: realpathSync(options.storageDir),
        path: options.path ?? [join(ROOT, 'pipeline-images/bin'), dirname(process.execPath)],
        capacity,
        clamp: options.capacity === undefined,
      })
    : undefined;
  // First of all what an earlier run left is ended and written as lost; only then anything may be started.
  await kubelet?.start();
  const jobs =
    (options.jobController ?? true) ? new JobController(registry, options.jobBackoffMs ?? BACKOFF_MS) : undefined;
  const collector = new Collector(registry);
  const token = tokenOf(join(dataDir, 'token'));
  const server = await startServer({
    registry,
    token,
    port: options.port ?? 0,
    logs: (pod, params, response) => {
      if (!kubelet) throw badRequest('no kubelet runs here');
      kubelet.log(pod, params, response);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  let stopping: Promise<void> | undefined;
  return {
    url,
    token,
    kubeconfig: (path) => writeKubeconfig(path, url, token),
    compact: () => store.compact(store.rv),
    stop: () => {
      stopping ??= (async () => {
        collector.stop();
        jobs?.stop();
        await Promise.all([server.stop(), kubelet?.stop()]);
        store.close();
      })();
      return stopping;
    },
  };
}
