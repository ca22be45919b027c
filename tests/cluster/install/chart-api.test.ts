/** Access to the api in the chart, and its share of a node. */
import { describeOnCluster } from '../binaries.ts';
import type { KubeObject } from '../kube-http.ts';
import { byKind, openChart, SECRET } from './chart.ts';

describeOnCluster("the chart's api", (binaries) => {
  const { render, example } = openChart(binaries.helm);
  const named = (objects: KubeObject[], kind: string, name: string): KubeObject =>
    byKind(objects, kind).find(({ metadata }) => metadata.name === name)!;
  const podOf = (objects: KubeObject[]) => named(objects, 'Deployment', 'seqpanel-api').spec.template.spec;

  test('metrics are in no Service, Ingress or policy for users', async () => {
    const objects = await example('shared-cluster');
    const ports = (name: string) =>
      named(objects, 'Service', name).spec.ports.map((port: KubeObject) => port.targetPort);
    expect(ports('seqpanel-api')).toEqual(['http']);
    expect(ports('seqpanel-api-metrics')).toEqual(['metrics']);
    const ingress = JSON.stringify(byKind(objects, 'Ingress'));
    expect(ingress).toContain('"seqpanel-api"');
    expect(ingress).not.toContain('metrics');
    for (const part of ['api', 'operator']) {
      const monitor = named(objects, 'ServiceMonitor', `seqpanel-${part}`);
      expect(monitor.spec.endpoints).toEqual([{ port: 'metrics', path: '/metrics', interval: '30s' }]);
    }
  });

  test('probes use the port of the metrics, which clients cannot overload', async () => {
    const [api] = podOf(await render(...SECRET)).containers;
    expect(api.ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 9091 },
    ]);
    for (const [probe, path] of Object.entries({ startup: '/healthz', liveness: '/healthz', readiness: '/readyz' }))
      expect(api[`${probe}Probe`].httpGet).toEqual({ path, port: 'metrics' });
  });

  test('the temporary folder is limited, and the pod requests its storage', async () => {
    const pod = podOf(await render(...SECRET, '--set', 'api.tmpSize=3Gi'));
    const tmp = pod.volumes.find(({ name }: KubeObject) => name === 'tmp');
    expect(tmp.emptyDir).toEqual({ sizeLimit: '3Gi' });
    const { requests, limits } = pod.containers[0].resources;
    expect([requests['ephemeral-storage'], limits['ephemeral-storage']]).toEqual(['256Mi', '2Gi']);
    await expect(render(...SECRET, '--set', 'api.tmpSize=much')).rejects.toThrow('api.tmpSize: "much" cannot be used');
  });

  test('access to the metrics can be set separately from access to the console', async () => {
    const peers = (objects: KubeObject[], name: string) =>
      Object.fromEntries(
        named(objects, 'NetworkPolicy', name).spec.ingress.map((rule: KubeObject) => [
          rule.ports[0].port,
          rule.from?.map((peer: KubeObject) => Object.values((Object.values(peer)[0] as KubeObject).matchLabels)[0]),
        ]),
      );
    const peer = (name: string, label: string) =>
      `networkPolicy.${name}[0].namespaceSelector.matchLabels.name=${label}`;
    const console = ['--set', peer('from', 'ingress')];
    const both = await render(...SECRET, ...console, '--set', peer('metricsFrom', 'prometheus'));
    expect(peers(both, 'seqpanel-api')).toMatchObject({
      http: ['ingress', expect.anything()],
      metrics: ['prometheus'],
    });
    expect(peers(both, 'seqpanel-operator')).toEqual({ metrics: ['prometheus'] });
    expect(peers(await render(...SECRET, ...console), 'seqpanel-api')).toMatchObject({ metrics: ['ingress'] });
    expect(peers(await render(...SECRET), 'seqpanel-api')).toEqual({ http: undefined, metrics: undefined });
  });
});
