/** The rights of operator and api in the chart: rendered by helm, applied to a control plane, and as text. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import { type Part, rightOf } from './audit.ts';
import type { ControlPlane } from './control-plane.ts';
import { objectsOf, openHelm } from './install/helm.ts';
import { eventually, type KubeHttp, type KubeObject, kubeconfigOf } from './kube-http.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** In the order of creation. */
const KINDS = ['ServiceAccount', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

/** Scale targets of the WorkerPools of the tests. */
const SCALE_TARGETS = [
  { apiGroup: 'test.seqpanel.dev', resource: 'nodegroups' },
  { apiGroup: 'cluster.x-k8s.io', resource: 'machinedeployments' },
];

export interface RightsOptions {
  /** With the chart's workers enabled: the operator may see and scale nodes. */
  workers?: boolean;
}

const accountOf = (part: Part): string => `seqpanel-${part}`;

/** Returns only the accounts, Roles and bindings of the chart. */
export async function chartRights(
  helm: string,
  namespace: string,
  { workers = false }: RightsOptions = {},
): Promise<KubeObject[]> {
  const manifests = await openHelm(helm)(
    ...['template', 'seqpanel', '.', '--namespace', namespace, '--values', 'examples/small.yaml'],
    ...['--set', `workers.enabled=${workers}`, '--set-json', `workers.scaleTargets=${JSON.stringify(SCALE_TARGETS)}`],
  );
  return objectsOf(manifests)
    .filter(({ kind }) => KINDS.includes(kind))
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

/** Returns the rules that bindings give to an account, with their namespace; without one they apply everywhere. */
function rulesOf(rights: readonly KubeObject[], part: Part): { rule: KubeObject; everywhere: boolean }[] {
  return rights
    .filter(({ kind, subjects }) => kind.endsWith('RoleBinding') && subjects[0].name === accountOf(part))
    .flatMap(({ roleRef }) => {
      const role = rights.find((one) => one.kind === roleRef.kind && one.metadata.name === roleRef.name);
      const everywhere = roleRef.kind === 'ClusterRole';
      return role!['rules'].map((rule: KubeObject) => ({ rule, everywhere }));
    });
}

/** Returns the rights of the Roles bound to an account. */
export function grantedTo(rights: readonly KubeObject[], part: Part): Set<string> {
  const granted = new Set<string>();
  for (const { rule, everywhere } of rulesOf(rights, part))
    for (const group of rule.apiGroups)
      for (const resource of rule.resources)
        for (const verb of rule.verbs) granted.add(rightOf(verb, group, resource, everywhere));
  return granted;
}

/**
 * Applies the chart's rights in a namespace. Resolves, once they are in effect, with a token of each program's
 * account.
 */
export async function giveRights(
  { kube, helm }: Pick<ControlPlane, 'kube' | 'helm'>,
  namespace: string,
  options?: RightsOptions,
): Promise<Record<Part, string>> {
  const rights = await chartRights(helm, namespace, options);
  for (const object of rights) {
    const within = `/namespaces/${object.metadata.namespace ?? namespace}`;
    const plural = `${object.kind.toLowerCase()}s`;
    if (object.kind === 'ServiceAccount') await kube.create(`/api/v1${within}/${plural}`, object);
    else await kube.create(`${RBAC}${object.kind.startsWith('Cluster') ? '' : within}/${plural}`, object);
  }
  // Also part of the chart: the api may change it but not create it.
  const metadata = { name: OPERATOR_SETTINGS_NAME };
  await kube.create(`/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const tokenOf = async (part: Part) => {
    for (const { rule, everywhere } of rulesOf(rights, part)) await inForce(kube, namespace, part, rule, everywhere);
    return requestToken(kube, namespace, part);
  };
  return { operator: await tokenOf('operator'), api: await tokenOf('api') };
}

/** The API server reads its Roles by a watch, so they take effect later. */
async function inForce(
  kube: KubeHttp,
  namespace: string,
  part: Part,
  { apiGroups: [group], resources, verbs: [verb], resourceNames: [name] = [] }: KubeObject,
  everywhere: boolean,
): Promise<void> {
  const [resource, subresource] = resources[0].split('/');
  const resourceAttributes = { group, resource, subresource, verb, name, ...(!everywhere && { namespace }) };
  const spec = { user: `system:serviceaccount:${namespace}:${accountOf(part)}`, resourceAttributes };
  await eventually(`the ${part} may ${verb} ${resource}`, async () => {
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    return (await kube.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', review)).status.allowed;
  });
}

async function requestToken(kube: KubeHttp, namespace: string, part: Part): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${accountOf(part)}/token`;
  const spec = { expirationSeconds: 24 * 3600 };
  return (await kube.create(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec })).status.token;
}

/**
 * Applies the chart's rights in a namespace. Returns the path of the operator's kubeconfig, which is deleted with the
 * control plane.
 */
export async function operatorKubeconfig(
  plane: Pick<ControlPlane, 'kube' | 'helm' | 'url' | 'ca' | 'kubeconfig'>,
  namespace: string,
  options?: RightsOptions,
): Promise<string> {
  const { operator: token } = await giveRights(plane, namespace, options);
  const file = join(dirname(plane.kubeconfig), `kubeconfig-operator-${namespace}`);
  writeFileSync(file, kubeconfigOf({ url: plane.url, token, ca: plane.ca }, namespace), { mode: 0o600 });
  return file;
}
