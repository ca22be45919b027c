/** Wires the local control plane: store, HTTP server, controllers and job runner. */

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

/** Options of a local control plane. */
export interface LocalControlPlaneOptions {
  /** Folder for everything it writes: store, token, pod folders and logs. Created if missing. */
  dataDir: string;
  /** Storage root that pods see as SEQPANEL_STORAGE. */
  storageDir: string;
  /** 0 (the default) uses any free port of 127.0.0.1. */
  port?: number;
  /** Namespaces to create at start in addition to `default`. */
  namespaces?: string[];
  /** Milliseconds since the epoch; for tests. */
  now?: () => number;
  /** Scheduler and kubelet. False leaves pods Pending, so that a test can write their status itself. Default true. */
  runner?: boolean;
  /** The Job controller; default true, also without the runner. */
  jobController?: boolean;
  /** Delay before the first retry of a failed index; default 10 s, as in kube-controller-manager. */
  jobBackoffMs?: number;
  /** First entries of the pods' PATH. Default: pipeline-images/bin and the folder of this Node. */
  path?: string[];
  /**
   * The machine's size for the scheduler, CPU in cores, memory in bytes. Default: this machine's size; a pod that requests
   * more then gets all of it instead of waiting forever.
   */
  capacity?: { cpu: number; memory: number };
}

/** A running local control plane. */
export interface LocalControlPlane {
  /** Base URL, plain http. */
  url: string;
  /** Bearer token of the only user; stored in the data folder. */
  token: string;
  /** Writes a kubeconfig (mode 0600) to the path. */
  kubeconfig(path: string): void;
  /** Deletes all older versions, as an API server does after five minutes. */
  compact(): void;
  /** Ends watches, stops pods (SIGTERM, then SIGKILL) and closes the store. */
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
    // The token is also in the URL for kubectl, which sends no token over plain http.
    clusters: named('cluster', { server: server.replace('//', `//${USER}:${token}@`) }),
    users: named('user', { token }),
    contexts: named('context', {
      cluster: 'seqpanel',
      user: 'seqpanel',
      namespace: process.env['SEQPANEL_NAMESPACE'] ?? 'default',
    }),
  };
  mkdirSync(dirname(path), { recursive: true });
  // JSON is valid YAML.
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Starts it in this process. Throws when another process uses the data folder or the port. */
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
  // Ends the processes of an earlier run and records their pods as lost before anything starts.
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
