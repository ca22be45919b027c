/** Rights and network access of the chart's pods, and objects that must not conflict with another installation. */
import { describeOnCluster } from '../binaries.ts';
import type { KubeObject } from '../kube-http.ts';
import { byKind, openChart, SECRET } from './chart.ts';
import { objectsOf, podsOf } from './helm.ts';

describeOnCluster("the chart's rights", (binaries) => {
  const { helm, render, example } = openChart(binaries.helm);

  test('rights on the whole cluster are granted only for workers, and to see nodes for marking lost pods', async () => {
    const kinds = ['ClusterRole', 'ClusterRoleBinding'];
    expect((await render(...SECRET)).filter(({ kind }) => kinds.includes(kind))).toEqual([]);
    const [role] = byKind(await render(...SECRET, '--set', 'workers.enabled=true'), 'ClusterRole');
    expect(role!.rules.flatMap(({ resources }: { resources: string[] }) => resources).sort()).toEqual([
      'nodes',
      'nodes',
      'pods',
    ]);
    const [nodes, ...more] = byKind(await render(...SECRET, '--set', 'operator.markLostPods=true'), 'ClusterRole');
    expect([nodes!.rules, more]).toEqual([[{ apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] }], []]);
    const api = byKind(await render(...SECRET), 'Role').find(({ metadata }) => metadata.name === 'seqpanel-api');
    // Besides its own kinds, the one object with the operator's settings, which the chart creates.
    expect(api!.rules.filter(({ apiGroups }: { apiGroups: string[] }) => !apiGroups.includes('seqpanel.dev'))).toEqual([
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['seqpanel-settings'], verbs: ['get', 'update'] },
    ]);
    const made = byKind(await render(...SECRET), 'ConfigMap').find(
      ({ metadata }) => metadata.name === 'seqpanel-settings',
    );
    expect(made).toMatchObject({ kind: 'ConfigMap' });
    expect(made!.data).toBeUndefined();
  });

  test('the operator may list and watch only one ConfigMap', async () => {
    const operator = byKind(await render(...SECRET), 'Role').find(
      ({ metadata }) => metadata.name === 'seqpanel-operator',
    );
    const rules = operator!['rules'].filter(({ resources }: KubeObject) => resources.includes('configmaps'));
    expect(rules.map(({ resourceNames, verbs }: KubeObject) => [resourceNames, verbs])).toEqual([
      [undefined, ['get', 'create', 'delete']],
      [['seqpanel-settings'], ['list', 'watch']],
    ]);
  });

  test('with Kueue each step has a priority class with a name that is unique to the installation and valid as a label', async () => {
    const classes = async (release: string, namespace: string) => {
      const set = ['--set', 'tasks.kueueQueueTemplate=lab-{group}'];
      const objects = objectsOf(await helm('template', release, '.', '--namespace', namespace, ...SECRET, ...set));
      return byKind(objects, 'WorkloadPriorityClass').map(({ metadata, value }) => [metadata.name, value] as const);
    };
    const all = [
      ...(await classes('a-b', 'c')),
      ...(await classes('b', 'c-a')),
      ...(await classes('a', 'n'.repeat(63))),
    ];
    expect(all.slice(0, 2).map(([, value]) => value)).toEqual([1, 2]);
    expect(new Set(all.map(([name]) => name)).size).toBe(90);
    expect(all.every(([name]) => name.length <= 63)).toBe(true);
    expect(byKind(await render(...SECRET), 'WorkloadPriorityClass')).toEqual([]);
  });

  test('the tasks of a namespace are limited by a quota, which a value changes or disables', async () => {
    const quota = async (...args: string[]) =>
      byKind(await render(...SECRET, ...args), 'ResourceQuota').map(({ spec }) => spec);
    expect(await quota()).toEqual([{ hard: { 'count/analysistasks.seqpanel.dev': '10000' } }]);
    expect(await quota('--set', 'tasks.maxObjects=50')).toEqual([
      { hard: { 'count/analysistasks.seqpanel.dev': '50' } },
    ]);
    expect(await quota('--set', 'tasks.maxObjects=0')).toEqual([]);
  });

  test('pods of steps reach nothing; a download of a genome reaches the web when hosts are allowed', async () => {
    const step = { 'app.kubernetes.io/managed-by': 'seqpanel', 'app.kubernetes.io/component': 'stage' };
    const download = { ...step, 'app.kubernetes.io/component': 'genome' };
    const closed = byKind(await render(...SECRET), 'NetworkPolicy');
    const open = byKind(await example('shared-cluster'), 'NetworkPolicy');
    for (const policies of [closed, open]) {
      expect(reached(policies, step)).toEqual({ Ingress: [], Egress: [] });
      for (const pod of (await render(...SECRET)).flatMap(podsOf))
        expect(Object.keys(reached(policies, pod.metadata.labels))).toEqual(['Ingress', 'Egress']);
    }
    expect(reached(closed, download)).toEqual({ Ingress: [], Egress: [] });
    expect(reached(open, download).Egress?.flatMap(({ ports }) => ports.map(({ port }) => port))).toContain(443);
    expect(reached(open, download).Ingress).toEqual([]);
  });

  test('only api and operator have a token of the Kubernetes API', async () => {
    const pods = (await render(...SECRET)).flatMap(podsOf);
    const withToken = pods.filter(({ spec }) => spec.automountServiceAccountToken !== false);
    expect(withToken.map(({ metadata }) => metadata.name).sort()).toEqual([
      'seqpanel-api-pod',
      'seqpanel-operator-pod',
    ]);
  });

  test('objects outside of the installation’s namespace have names that are unique to the installation', async () => {
    const shared = async (release: string, namespace: string) => {
      const targets = [
        { apiGroup: 'cluster.x-k8s.io', resource: 'machinedeployments', namespace: 'clusters' },
        { apiGroup: '', resource: 'machinedeployments', namespace: 'clusters' },
      ];
      const text = await helm(
        ...['template', release, '.', '--namespace', namespace, ...SECRET, '--set', 'workers.enabled=true'],
        ...['--set-json', `workers.scaleTargets=${JSON.stringify(targets)}`],
      );
      const objects = objectsOf(text).filter(
        ({ kind, metadata }) => /^Cluster(?!.*Def)/.test(kind) || metadata.namespace,
      );
      expect(objects.map(({ kind }) => kind).sort()).toEqual(
        ['ClusterRole', 'ClusterRoleBinding', 'Role', 'Role', 'RoleBinding', 'RoleBinding'].sort(),
      );
      // Besides the scaled objects, only one Lease of the namespace.
      for (const { rules } of byKind(objects, 'Role'))
        expect(rules.filter(({ resources }: KubeObject) => resources.includes('leases'))).toEqual([
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
          {
            apiGroups: ['coordination.k8s.io'],
            resources: ['leases'],
            resourceNames: ['seqpanel-workers'],
            verbs: ['get', 'update'],
          },
        ]);
      for (const { roleRef } of objects.filter(({ kind }) => kind.endsWith('Binding')))
        expect(objects.some(({ kind, metadata }) => kind === roleRef.kind && metadata.name === roleRef.name)).toBe(
          true,
        );
      return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    };
    const all = [...(await shared('a-b', 'c')), ...(await shared('b', 'c-a')), ...(await shared('a', 'b-c'))];
    expect(new Set(all).size).toBe(all.length);
  });
});

type Rule = { ports: { port: number | string }[] };

/**
 * Returns what the policies allow for a pod with these labels, joined as by Kubernetes. A direction is absent when no
 * policy selects it.
 */
function reached(policies: KubeObject[], labels: Record<string, string>): Record<string, Rule[]> {
  const rules: Record<string, Rule[]> = {};
  for (const { spec } of policies) {
    const wanted = Object.entries(spec.podSelector.matchLabels as Record<string, string>);
    if (!wanted.every(([key, value]) => labels[key] === value)) continue;
    for (const type of spec.policyTypes) {
      rules[type] ??= [];
      rules[type].push(...((spec[type.toLowerCase()] as Rule[] | undefined) ?? []));
    }
  }
  return rules;
}
