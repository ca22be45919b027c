/** Runs Debian's Prometheus on this machine with the targets of the chart's ServiceMonitors. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../support/product.ts';
import { eventually, type KubeHttp, type KubeObject } from '../../kube-http.ts';
import { rulesFileOf } from '../monitoring.ts';

export interface Prometheus {
  /** Returns the data of an answer of its API. Throws its error message. */
  ask<T>(path: string, query?: Record<string, string>): Promise<T>;
  /** Updates the targets that the ServiceMonitors select. */
  discover(): Promise<void>;
  stop(): Promise<void>;
}

/** Scrapes every 5 s, evaluates rules every second. `objects`: the chart's, with ServiceMonitors and PrometheusRule. */
export async function startPrometheus(objects: KubeObject[], namespace: string, kube: KubeHttp): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-prometheus-'));
  writeFileSync(join(folder, 'rules.json'), rulesFileOf(objects));
  const monitors = objects.filter(({ kind }) => kind === 'ServiceMonitor');
  const config = {
    global: { scrape_interval: '5s', evaluation_interval: '1s' },
    rule_files: ['rules.json'],
    scrape_configs: monitors.map(({ metadata, spec }) => ({
      job_name: metadata.name,
      metrics_path: spec.endpoints[0].path,
      file_sd_configs: [{ files: [`${metadata.name}.targets.json`], refresh_interval: '1s' }],
    })),
  };
  writeFileSync(join(folder, 'prometheus.json'), JSON.stringify(config));
  const discover = async () => {
    for (const monitor of monitors) {
      const file = join(folder, `${monitor.metadata.name}.targets.json`);
      // Written atomically, because Prometheus reads it at each change.
      writeFileSync(`${file}.new`, JSON.stringify(await targetsOf(monitor, namespace, kube)));
      renameSync(`${file}.new`, file);
    }
  };
  await discover();
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
    discover,
    stop: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * Returns the targets that a ServiceMonitor selects now, with the labels of the Prometheus operator. Debian's
 * Prometheus has no Kubernetes discovery.
 */
async function targetsOf({ spec }: KubeObject, namespace: string, kube: KubeHttp) {
  const [{ port }] = spec.endpoints as [{ port: string }];
  const wanted = Object.entries(spec.selector.matchLabels as Record<string, string>).map((pair) => pair.join('='));
  const query = `labelSelector=${encodeURIComponent(wanted.join(','))}`;
  const { items } = await kube.get(`/api/v1/namespaces/${namespace}/endpoints?${query}`);
  return (items as KubeObject[]).flatMap(({ metadata, subsets = [] }) =>
    (subsets as KubeObject[]).flatMap(({ addresses = [], ports }) =>
      (addresses as KubeObject[]).map(({ ip, targetRef }) => ({
        targets: [`${ip}:${ports.find(({ name }: KubeObject) => name === port).port}`],
        labels: { namespace, pod: targetRef.name, job: metadata.name },
      })),
    ),
  );
}
