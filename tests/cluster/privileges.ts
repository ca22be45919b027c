/** The rights that the chart gives to operator and api: rendered by helm, given on a control plane, and as text. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import { type Part, rightOf } from './audit.ts';
import type { ControlPlane } from './control-plane.ts';
import { objectsOf, openHelm } from './install/helm.ts';
import { eventually, type KubeHttp, type KubeObject, kubeconfigOf } from './kube-http.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** In the order in which they must be made. */
const KINDS = ['ServiceAccount', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];

/** What the WorkerPools of the tests scale. */
const SCALE_TARGETS = [
  { apiGroup: 'test.seqpanel.dev', resource: 'nodegroups' },
  { apiGroup: 'cluster.x-k8s.io', resource: 'machinedeployments' },
];

export interface RightsOptions {
  /** As where the chart's workers are enabled: nodes are seen and scaled. */
  workers?: boolean;
}

const accountOf = (part: Part): string => `seqpanel-${part}`;

/** Accounts, Roles and bindings of the chart, and nothing else of it. */
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

/** The rules that bindings give to an account, with the namespace in which they hold; without one they hold everywhere. */
function rulesOf(rights: readonly KubeObject[], part: Part): { rule: KubeObject; everywhere: boolean }[] {
  return rights
    .filter(({ kind, subjects }) => kind.endsWith('RoleBinding') && subjects[0].name === accountOf(part))
    .flatMap(({ roleRef }) => {
      const role = rights.find((one) => one.kind === roleRef.kind && one.metadata.name === roleRef.name);
      const everywhere = roleRef.kind === 'ClusterRole';
      return role!['rules'].map((rule: KubeObject) => ({ rule, everywhere }));
    });
}

/** What the Roles bound to an account allow. */
export function grantedTo(rights: readonly KubeObject[], part: Part): Set<string> {
  const granted = new Set<string>();
  for (const { rule, everywhere } of rulesOf(rights, part))
    for (const group of rule.apiGroups)
      for (const resource of rule.resources)
        for (const verb of rule.verbs) granted.add(rightOf(verb, group, resource, everywhere));
  return granted;
}

/** Gives the chart's rights in a namespace; resolves, once they hold, with a token of each program's account. */
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
  // Of the chart as well: the api may change it and not make it.
  const metadata = { name: OPERATOR_SETTINGS_NAME };
  await kube.create(`/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const tokenOf = async (part: Part) => {
    for (const { rule, everywhere } of rulesOf(rights, part)) await inForce(kube, namespace, part, rule, everywhere);
    return requestToken(kube, namespace, part);
  };
  return { operator: await tokenOf('operator'), api: await tokenOf('api') };
}

/** The API server learns of its own Roles by a watch. */
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

/** Gives the chart's rights in a namespace; path of the operator's kubeconfig, which goes with the control plane. */
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
