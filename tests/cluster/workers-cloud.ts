/**
 * A cloud for tests: creates and removes kwok's Nodes until each NodeGroup and MachineDeployment has the requested
 * number. Where it can choose, it removes nodes with stage pods first, so that tests detect a number that was lowered
 * at the wrong time. A Machine with Cluster API's delete-machine annotation is removed before all others. Records the
 * pods on each removed node for the test.
 */
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';
import { DEPLOYMENTS, MACHINES, NODE_GROUPS } from './workers-definitions.ts';

export interface Removal {
  node: string;
  at: number;
  /** Unfinished stage pods on the node. */
  stagePods: string[];
  cordoned: boolean;
}

const DEPLOYMENT = 'cluster.x-k8s.io/deployment-name';
const DELETE_MACHINE = 'cluster.x-k8s.io/delete-machine';
const PERIOD_MS = 100;

export class WorkersCloud {
  readonly removals: Removal[] = [];
  /** Targets whose machines start but never join the cluster. */
  readonly broken = new Set<string>();
  readonly #kube: KubeHttp;
  readonly #namespace: string;
  #made = 0;
  #stopped = false;
  #running: Promise<void>;
  failure: unknown;

  constructor(kube: KubeHttp, namespace: string) {
    this.#kube = kube;
    this.#namespace = namespace;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        for (const group of await this.#list(NODE_GROUPS)) await this.#serveGroup(group);
        for (const deployment of await this.#list(DEPLOYMENTS)) await this.#serveDeployment(deployment);
        await this.#removeOrphans();
      } catch (error) {
        this.failure = error;
      }
      await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
    }
  }

  #list = async (path: (namespace: string) => string): Promise<KubeObject[]> =>
    (await this.#kube.get(path(this.#namespace))).items;
  #nodes = async (selector: string): Promise<KubeObject[]> =>
    (await this.#kube.get(`/api/v1/nodes?labelSelector=${encodeURIComponent(selector)}`)).items;

  async #serveGroup({ metadata, spec }: KubeObject): Promise<void> {
    const nodes = await this.#nodes(`test/group=${metadata.name}`);
    const missing = (spec.replicas ?? 0) - nodes.length;
    for (let i = 0; i < missing && !this.broken.has(metadata.name); i++)
      await this.#makeNode(`${metadata.name}-${++this.#made}`, { 'test/group': metadata.name, ...spec.labels });
    if (missing < 0) for (const node of (await this.#busyFirst(nodes)).slice(0, -missing)) await this.#remove(node);
  }

  async #serveDeployment({ metadata, spec }: KubeObject): Promise<void> {
    const selector = encodeURIComponent(`${DEPLOYMENT}=${metadata.name}`);
    const { items: machines } = await this.#kube.get(`${MACHINES(this.#namespace)}?labelSelector=${selector}`);
    const missing = (spec.replicas ?? 0) - machines.length;
    for (let i = 0; i < missing; i++) await this.#makeMachine(metadata.name);
    if (missing < 0)
      for (const machine of (await this.#markedFirst(machines)).slice(0, -missing)) await this.#end(machine);
    for (const machine of machines) await this.#join(machine, metadata.name, spec);
  }

  async #makeMachine(deployment: string): Promise<void> {
    const name = `${deployment}-${++this.#made}`;
    const path = MACHINES(this.#namespace);
    await this.#kube.create(path, {
      apiVersion: 'cluster.x-k8s.io/v1beta1',
      kind: 'Machine',
      metadata: { name, labels: { [DEPLOYMENT]: deployment, 'cluster.x-k8s.io/set-name': `${deployment}-set` } },
      spec: { clusterName: 'test', bootstrap: {}, infrastructureRef: {}, providerID: `test:///${name}` },
    });
    await this.#kube.merge(`${path}/${name}/status`, { status: { phase: 'Provisioning' } });
  }

  /** The machine's node joins, unless the deployment is broken. */
  async #join({ metadata, status }: KubeObject, deployment: string, spec: KubeObject): Promise<void> {
    if (status?.nodeRef || this.broken.has(deployment)) return;
    const labels = { 'test/machine': metadata.name, ...spec.template?.metadata?.labels };
    await this.#makeNode(metadata.name, labels);
    const nodeRef = { apiVersion: 'v1', kind: 'Node', name: metadata.name };
    await this.#kube.merge(`${MACHINES(this.#namespace)}/${metadata.name}/status`, {
      status: { nodeRef, phase: 'Running' },
    });
  }

  async #end({ metadata }: KubeObject): Promise<void> {
    await this.#kube.call('DELETE', `${MACHINES(this.#namespace)}/${metadata.name}`);
  }

  /** Nodes whose machine was deleted. */
  async #removeOrphans(): Promise<void> {
    const nodes = await this.#nodes('test/machine');
    if (nodes.length === 0) return;
    const machines = new Set((await this.#list(MACHINES)).map(({ metadata }) => metadata.name));
    for (const node of nodes) if (!machines.has(node.metadata.labels['test/machine'])) await this.#remove(node);
  }

  async #makeNode(name: string, labels: Record<string, string>): Promise<void> {
    await this.#kube.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels, annotations: { 'kwok.x-k8s.io/node': 'fake' } },
      spec: { providerID: `test:///${name}` },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.9' }] },
    });
  }

  async #stagePods(node: string): Promise<string[]> {
    const { items } = await this.#kube.get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
    return items
      .filter(({ metadata, status }: KubeObject) => {
        const over = ['Succeeded', 'Failed'].includes(status.phase);
        return metadata.labels?.['seqpanel.dev/queue'] && !over;
      })
      .map(({ metadata }: KubeObject) => metadata.name);
  }

  async #remove(node: KubeObject): Promise<void> {
    const { name } = node.metadata;
    const now = await this.#kube.get(`/api/v1/nodes/${name}`);
    const stagePods = await this.#stagePods(name);
    this.removals.push({ node: name, at: Date.now(), stagePods, cordoned: now.spec.unschedulable === true });
    await this.#kube.call('DELETE', `/api/v1/nodes/${name}`);
  }

  async #busyFirst(nodes: KubeObject[]): Promise<KubeObject[]> {
    const loads = await Promise.all(nodes.map(async ({ metadata }) => (await this.#stagePods(metadata.name)).length));
    return nodes
      .map((node, i) => ({ node, load: loads[i]! }))
      .sort((a, b) => b.load - a.load)
      .map(({ node }) => node);
  }

  async #markedFirst(machines: KubeObject[]): Promise<KubeObject[]> {
    const isMarked = ({ metadata }: KubeObject) => metadata.annotations?.[DELETE_MACHINE] !== undefined;
    const loads = new Map<string, number>();
    for (const { metadata } of machines) loads.set(metadata.name, (await this.#stagePods(metadata.name)).length);
    const rank = (machine: KubeObject) => (isMarked(machine) ? 1000 : (loads.get(machine.metadata.name) ?? 0));
    return [...machines].sort((a, b) => rank(b) - rank(a));
  }
}

/** A DaemonSet, as in every cluster. Its pods do not keep a node. */
export async function runOnEveryNode(kube: KubeHttp): Promise<void> {
  const labels = { app: 'every-node' };
  await kube.create('/apis/apps/v1/namespaces/kube-system/daemonsets', {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'every-node' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'agent', image: 'none', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      },
    },
  });
  await eventually('DaemonSet', () => kube.get('/apis/apps/v1/namespaces/kube-system/daemonsets/every-node'));
}
