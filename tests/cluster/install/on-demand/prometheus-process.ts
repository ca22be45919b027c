/** Debian's Prometheus as a process of this machine that finds the pods by the chart's ServiceMonitors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../support/product.ts';
import { eventually, type KubeObject } from '../../kube-http.ts';
import { rulesFileOf } from '../monitoring.ts';

export interface Prometheus {
  /** The data of an answer of its API; throws what it says when it refuses. */
  ask<T>(path: string, query?: Record<string, string>): Promise<T>;
  stop(): Promise<void>;
}

/** Scrapes every 5 s, judges every second. `objects`: the chart's, with ServiceMonitors and PrometheusRule. */
export async function startPrometheus(
  objects: KubeObject[],
  namespace: string,
  kubeconfig: string,
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-prometheus-'));
  writeFileSync(join(folder, 'rules.json'), rulesFileOf(objects));
  const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor');
  const config = {
    global: { scrape_interval: '5s', evaluation_interval: '1s' },
    rule_files: ['rules.json'],
    scrape_configs: monitors.map((monitor) => scrapeOf(monitor, namespace, kubeconfig)),
  };
  writeFileSync(join(folder, 'prometheus.json'), JSON.stringify(config));
  const url = `http://127.0.0.1:${await freePort()}`;
  const server: ChildProcess = spawn(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', 'prometheus', '--config.file=prometheus.json', '--storage.tsdb.path=data'],
      ...[`--web.listen-address=${new URL(url).host}`, '--log.level=warn'],
    ],
    { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  await eventually('Prometheus ready', async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok, 60);
  return {
    ask: async <T>(path: string, query: Record<string, string> = {}) => {
      const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query)}`);
      const said = (await answer.json()) as { status: string; error?: string; data: T };
      if (said.status !== 'success') throw new Error(`${path} ${JSON.stringify(query)}: ${said.error}`);
      return said.data;
    },
    stop: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}

/** What the Prometheus operator makes of a ServiceMonitor, as far as ours goes. */
function scrapeOf({ metadata, spec }: KubeObject, namespace: string, kubeconfig_file: string) {
  const [{ port, path }] = spec.endpoints as [{ port: string; path: string }];
  const meta = (name: string) => `__meta_kubernetes_${name.replace(/[^a-z0-9]/g, '_')}`;
  const keep = (label: string, regex: string) => ({ action: 'keep', source_labels: [meta(label)], regex });
  const copy = (label: string, target_label: string) => ({ source_labels: [meta(label)], target_label });
  return {
    job_name: metadata.name,
    metrics_path: path,
    kubernetes_sd_configs: [{ role: 'endpoints', kubeconfig_file, namespaces: { names: [namespace] } }],
    relabel_configs: [
      ...Object.entries(spec.selector.matchLabels as Record<string, string>).map(([label, value]) =>
        keep(`service_label_${label}`, value),
      ),
      keep('endpoint_port_name', port),
      copy('namespace', 'namespace'),
      copy('pod_name', 'pod'),
      copy('service_name', 'job'),
    ],
  };
}
