/**
 * A real Prometheus on a real installation: it finds the pods, evaluates every alert and answers every query of the
 * dashboard. `npm run test:cluster -- on-demand/prometheus`: 2 minutes, with Debian's prometheus, only on the node
 * tier.
 */
import { missingTools } from '../../../../scripts/install.mjs';
import { describeSkipped } from '../../binaries.ts';
import { eventually } from '../../kube-http.ts';
import { describeOnNodes } from '../../node/describe-on-nodes.ts';
import { objectsOf } from '../helm.ts';
import { IMAGES_MS, type Installation, newInstallation, RELEASE } from '../installation.ts';
import { dashboardQueries, MONITORING, metricsOf } from '../monitoring.ts';
import { type Prometheus, startPrometheus } from './prometheus-process.ts';

const NS = `prometheus-${process.pid}`;
const TITLE = 'Prometheus on an installation';
const TWO = ['--set', 'api.replicas=2,operator.replicas=2'];

interface Rule {
  name: string;
  state: 'inactive' | 'pending' | 'firing';
  query: string;
  health: string;
  lastError?: string;
}

const suite = (): void => {
  if (missingTools([['prometheus', 'prometheus']]).length > 0) describeSkipped(TITLE, 'prometheus is not installed');
  else if (process.env['SEQPANEL_TEST_KUBECONFIG'])
    describeSkipped(TITLE, 'this machine must reach the pods: it runs on the node tier alone');
  else describeOnNodes(TITLE, onInstallation);
};

function onInstallation(cluster: Parameters<Parameters<typeof describeOnNodes>[1]>[0]): void {
  let installed: Installation;
  let prometheus: Prometheus;
  const rules = async () =>
    (await prometheus.ask<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules);
  const stateOf = async (name: string) => (await rules()).find((rule) => rule.name === name)?.state;

  beforeAll(async () => {
    installed = await newInstallation(cluster(), NS);
    await installed.install(...TWO, '--wait', '--timeout', '4m');
    const rendered = await installed.helm(
      ...[
        'template',
        RELEASE,
        '.',
        '--namespace',
        NS,
        ...TWO,
        '--set',
        `secrets.existingSecret=seqpanel,${MONITORING}`,
      ],
    );
    prometheus = await startPrometheus(objectsOf(rendered), NS, cluster().kube);
  }, IMAGES_MS);
  afterAll(async () => {
    await prometheus?.stop();
    await installed?.dispose();
  }, 200_000);

  test('the ServiceMonitors select every api and every operator, and nothing else', async () => {
    const up = await eventually(
      'four pods scraped',
      async () => {
        const { activeTargets } = await prometheus.ask<{
          activeTargets: { health: string; labels: Record<string, string> }[];
        }>('targets', { state: 'active' });
        return activeTargets.length === 4 && activeTargets.every(({ health }) => health === 'up') && activeTargets;
      },
      90,
    );
    const jobs = up.map(({ labels }) => [labels['job'], labels['namespace']]).sort();
    expect(jobs).toEqual(['api', 'api', 'operator', 'operator'].map((part) => [`${RELEASE}-${part}`, NS]));
  }, 120_000);

  test('every alert is evaluated without an error, and none fires on a healthy installation', async () => {
    await eventually('all judged', async () => (await rules()).every(({ health }) => health !== 'unknown'), 60);
    const found = await rules();
    expect(found.length).toBeGreaterThan(6);
    expect(found.map(({ name, health, lastError }) => [name, health, lastError ?? ''])).toEqual(
      found.map(({ name }) => [name, 'ok', '']),
    );
    expect(found.filter(({ state }) => state === 'firing')).toEqual([]);
  }, 90_000);

  test('the metrics of alerts and dashboard exist', async () => {
    const metadata = await prometheus.ask<Record<string, unknown>>('metadata');
    const exposed = new Set(Object.keys(metadata));
    const queries = [...dashboardQueries(NS), ...(await rules()).map(({ name, query }) => ({ panel: name, query }))];
    const unknown = queries.flatMap(({ panel, query }) =>
      metricsOf(query)
        .filter((name) => !exposed.has(name) && !name.startsWith('kubelet_volume_stats_'))
        .map((name) => `${panel}: ${name}`),
    );
    expect(queries.map(({ query }) => metricsOf(query).length)).not.toContain(0);
    expect(unknown).toEqual([]);
  });

  test('every query of the dashboard is answered, queries of states with data', async () => {
    const empty: string[] = [];
    for (const { panel, query } of dashboardQueries(NS)) {
      const { result } = await prometheus.ask<{ result: unknown[] }>('query', { query });
      if (result.length === 0) empty.push(panel);
    }
    // A new installation has no failures, no retries and no ended Jobs.
    expect([...new Set(empty)].filter((panel) => !/fail|error|repeat|Job's end/i.test(panel))).toEqual([]);
  });

  test('the alert on a missing operator becomes pending when none leads, and ends when one is back', async () => {
    expect(await stateOf('SeqPanelNoOperator')).toBe('inactive');
    installed.kubectl('scale', `deployment/${RELEASE}-operator`, '--replicas=0');
    await prometheus.discover();
    await eventually('pending', async () => (await stateOf('SeqPanelNoOperator')) === 'pending', 90);
    installed.kubectl('scale', `deployment/${RELEASE}-operator`, '--replicas=2');
    installed.kubectl('rollout', 'status', `deployment/${RELEASE}-operator`, '--timeout=100s');
    await prometheus.discover();
    await eventually('inactive', async () => (await stateOf('SeqPanelNoOperator')) === 'inactive', 60);
  }, 240_000);
}

suite();
