/** What the chart grants to operator and api, and what an audit log says that they used: as `verb group/resource`. */
import { readFileSync } from 'node:fs';
import { objectsOf, openHelm } from './install/helm.ts';
import type { KubeHttp, KubeObject } from './kube-http.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** In the order in which they must be made. */
const KINDS = ['ServiceAccount', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

/** The rights that the chart gives where workers are scaled over these targets, and nothing else of the chart. */
export async function chartRights(
  helm: string,
  namespace: string,
  scaleTargets: { apiGroup: string; resource: string }[],
): Promise<KubeObject[]> {
  const manifests = await openHelm(helm)(
    ...['template', 'seqpanel', '.', '--namespace', namespace, '--values', 'examples/small.yaml'],
    ...['--set', 'workers.enabled=true', '--set-json', `workers.scaleTargets=${JSON.stringify(scaleTargets)}`],
  );
  return objectsOf(manifests)
    .filter(({ kind }) => KINDS.includes(kind))
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

export async function applyRights(kube: KubeHttp, namespace: string, rights: readonly KubeObject[]): Promise<void> {
  for (const object of rights) {
    const within = `/namespaces/${object.metadata.namespace ?? namespace}`;
    const plural = `${object.kind.toLowerCase()}s`;
    if (object.kind === 'ServiceAccount') await kube.create(`/api/v1${within}/${plural}`, object);
    else await kube.create(`${RBAC}${object.kind.startsWith('Cluster') ? '' : within}/${plural}`, object);
  }
}

const right = (verb: string, group: string, resource: string): string => `${verb} ${group}/${resource}`;

/** What the Roles bound to a service account allow. */
export function grantedTo(rights: readonly KubeObject[], account: string): Set<string> {
  const granted = new Set<string>();
  for (const { kind, subjects, roleRef } of rights) {
    if (!kind.endsWith('RoleBinding') || !subjects.some(({ name }: KubeObject) => name === account)) continue;
    const role = rights.find((one) => one.kind === roleRef.kind && one.metadata.name === roleRef.name);
    for (const { apiGroups, resources, verbs } of role?.rules ?? [])
      for (const group of apiGroups)
        for (const resource of resources) for (const verb of verbs) granted.add(right(verb, group, resource));
  }
  return granted;
}

/** What a user did, and what was refused to it. */
export function usedBy(auditLog: string, user: string): { used: Set<string>; refused: Set<string> } {
  const used = new Set<string>();
  const refused = new Set<string>();
  for (const line of readFileSync(auditLog, 'utf8').trim().split('\n')) {
    const { user: who, verb, objectRef, responseStatus } = JSON.parse(line);
    if (who?.username !== user || !objectRef) continue;
    const { apiGroup = '', resource, subresource } = objectRef;
    const asked = right(verb, apiGroup, subresource ? `${resource}/${subresource}` : resource);
    (responseStatus?.code === 403 ? refused : used).add(asked);
  }
  return { used, refused };
}

/** Lines that tell what was used without being granted, refused, or granted without being used; none is the aim. */
export function difference(
  granted: ReadonlySet<string>,
  { used, refused }: ReturnType<typeof usedBy>,
  unseen: ReadonlySet<string>,
): string[] {
  return [
    ...[...refused].map((one) => `refused: ${one}`),
    ...[...used].filter((one) => !granted.has(one) && !refused.has(one)).map((one) => `not granted: ${one}`),
    ...[...granted].filter((one) => !used.has(one) && !unseen.has(one)).map((one) => `never used: ${one}`),
  ].sort();
}
