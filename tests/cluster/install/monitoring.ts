/** The alerts and the dashboard of the chart in the formats of Prometheus and Grafana. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../kube-http.ts';
import { CHART } from './helm.ts';

export const MONITORING = 'monitoring.serviceMonitor=true,monitoring.prometheusRule=true,monitoring.dashboard=true';

/** Returns the rules file that the Prometheus operator would create from PrometheusRules. JSON is valid YAML. */
export function rulesFileOf(objects: KubeObject[]): string {
  const groups = objects.filter(({ kind }) => kind === 'PrometheusRule').flatMap(({ spec }) => spec.groups);
  return JSON.stringify({ groups });
}

/** Returns the dashboard's queries for one namespace, by panel. */
export function dashboardQueries(namespace: string): { panel: string; query: string }[] {
  const { panels } = JSON.parse(readFileSync(join(CHART, 'files/dashboard.json'), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ panel: title, query: expr.replaceAll('$namespace', namespace) })),
  );
}

/** Returns the names of a query's series, without matchers. A bucket counts as its histogram. */
export const metricsOf = (query: string): string[] =>
  [...query.matchAll(/([a-z_]+)\{/g)].map(([, name]) => name!.replace(/_bucket$/, ''));
