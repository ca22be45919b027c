/** The least rights with which the operator scales workers, for a user of the tests. */
import type { KubeHttp, KubeObject } from './kube-http.ts';

const rule = (group: string, resources: string[], verbs: string[]) => ({ apiGroups: [group], resources, verbs });

/** Without workers. */
const NAMESPACE_RULES: KubeObject[] = [
  rule('seqpanel.dev', ['analysistasks', 'paneltypes', 'genomes', 'pipelines'], ['list', 'watch']),
  rule('seqpanel.dev', ['analysistasks/status', 'paneltypes/status', 'genomes/status', 'pipelines/status'], ['patch']),
  rule('seqpanel.dev', ['pipelines'], ['get', 'create', 'patch']),
  rule('seqpanel.dev', ['analysistasks/finalizers'], ['update']),
  rule('batch', ['jobs'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
  rule('', ['pods'], ['get', 'list', 'watch']),
  rule('', ['configmaps'], ['get', 'create']),
  rule('', ['events'], ['create']),
  rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
];
/** For workers, in the installation's namespace. */
const WORKER_RULES: KubeObject[] = [
  rule('seqpanel.dev', ['workerpools'], ['list', 'watch']),
  rule('seqpanel.dev', ['workerpools/status'], ['patch']),
];
/** In the namespace of the targets. */
const TARGET_RULES: KubeObject[] = [
  rule('test.seqpanel.dev', ['nodegroups/scale'], ['get', 'patch']),
  rule('cluster.x-k8s.io', ['machinedeployments/scale'], ['get', 'patch']),
  rule('cluster.x-k8s.io', ['machines'], ['list', 'patch', 'delete']),
];
const CLUSTER_RULES: KubeObject[] = [
  rule('', ['nodes'], ['list', 'watch', 'patch']),
  rule('', ['pods'], ['list', 'watch']),
];

export async function grantOperator(kube: KubeHttp, namespace: string, user: string): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'operator-under-test' };
  const bind = async (scope: string, kind: 'Role' | 'ClusterRole', rules: KubeObject[]) => {
    await kube.create(`${path}${scope}/${kind.toLowerCase()}s`, { apiVersion, kind, metadata, rules });
    await kube.create(`${path}${scope}/${kind.toLowerCase()}bindings`, {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
      subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
    });
  };
  await bind(`/namespaces/${namespace}`, 'Role', [...NAMESPACE_RULES, ...WORKER_RULES, ...TARGET_RULES]);
  await bind('', 'ClusterRole', CLUSTER_RULES);
}
