/** A node of the tests: registers it, reports it ready and renews its Lease. */
import { now } from './command-pod.ts';
import { eventually, type KubeHttp, type KubeObject } from './kube-http.ts';

export async function registerNode(kube: KubeHttp, node: string, size: Record<string, string>): Promise<void> {
  await kube.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
  await reportReady(kube, node, size);
  await eventually('namespace of the leases', () => kube.get('/api/v1/namespaces/kube-node-lease'));
  await renewLease(kube, node);
  await eventually(`node ${node} without taints`, async () => !(await kube.get(`/api/v1/nodes/${node}`)).spec.taints);
}

async function reportReady(kube: KubeHttp, node: string, size: Record<string, string>): Promise<void> {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'tests', lastHeartbeatTime: now() };
  const status = { capacity: size, allocatable: size, conditions: [ready] };
  await kube.merge(`/api/v1/nodes/${node}/status`, { status });
}

/** Renews the Lease. Reports the node ready again when the control plane has marked it lost after its own outage. */
export async function heartbeat(kube: KubeHttp, node: string, size: Record<string, string>): Promise<void> {
  await renewLease(kube, node);
  const { status } = await kube.get(`/api/v1/nodes/${node}`);
  const is = status.conditions?.find(({ type }: KubeObject) => type === 'Ready');
  if (is?.status !== 'True') await reportReady(kube, node, size);
}

async function renewLease(kube: KubeHttp, node: string): Promise<void> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const spec = {
    holderIdentity: node,
    leaseDurationSeconds: 40,
    renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
  };
  const patched = await kube.call('PATCH', `${leases}/${node}`, { spec }, 'application/merge-patch+json');
  if (patched.status === 404) await kube.create(leases, { metadata: { name: node }, spec });
}
