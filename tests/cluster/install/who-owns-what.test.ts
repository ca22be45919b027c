/** Compares the rights that the chart grants the api and the operator with those that each needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnCluster } from '../binaries.ts';
import type { KubeObject } from '../kube-http.ts';
import { CHART, objectsOf, openHelm } from './helm.ts';

describeOnCluster('who owns what in the cluster', (binaries) => {
  let objects: KubeObject[];
  beforeAll(async () => {
    const args = ['template', 'seqpanel', '.', '--namespace', 'lab', '-f', join('examples', 'small.yaml')];
    objects = objectsOf(await openHelm(binaries.helm)(...args, '--set', 'workers.enabled=true'));
  });
  const one = (kind: string, name: string): KubeObject => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (!found) throw new Error(`the chart has no ${kind} ${name}`);
    return found;
  };
  const granted = (role: KubeObject): string[] =>
    role['rules'].flatMap(({ apiGroups, resources }: { apiGroups: string[]; resources: string[] }) =>
      resources.map((resource) => `${apiGroups[0]}/${resource}`),
    );

  test('[K8S-28] the api has no rights on Jobs and pods; only the operator may create Jobs', () => {
    const api = granted(one('Role', 'seqpanel-api'));
    expect(api).toContain('seqpanel.dev/analysistasks');
    // One ConfigMap by name: the operator's settings.
    const own = (resource: string) => resource !== '/configmaps';
    expect(api.filter((resource) => /^(batch|)\//.test(resource) || resource.includes('*')).filter(own)).toEqual([]);
    expect(granted(one('Role', 'seqpanel-operator'))).toContain('batch/jobs');
  });

  test('[K8S-28] the operator mounts no storage, has no database settings and cannot reach the database', () => {
    const { spec } = one('Deployment', 'seqpanel-operator').spec.template;
    const volumes = (spec.volumes ?? []).filter(
      (volume: KubeObject) => volume['persistentVolumeClaim'] || volume['hostPath'],
    );
    expect(volumes).toEqual([]);
    const names = spec.containers.flatMap(({ env }: { env: { name: string }[] }) => env.map(({ name }) => name));
    expect(names.filter((name: string) => /DATABASE|POSTGRES|^PG/.test(name))).toEqual([]);
    expect(JSON.stringify(one('NetworkPolicy', 'seqpanel-postgres').spec.ingress)).not.toContain('operator');
    const { dependencies } = JSON.parse(readFileSync(join(CHART, '..', 'operator', 'package.json'), 'utf8'));
    expect(Object.keys(dependencies).filter((name) => ['pg', 'knex'].includes(name))).toEqual([]);
  });
});
