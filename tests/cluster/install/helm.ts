/** Runs helm to render, install and test the chart. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../kube-http.ts';

const run = promisify(execFile);
export const CHART = join(import.meta.dirname, '..', '..', '..', 'helm');

/** Returns helm's output. Throws an Error with its messages. */
export type Helm = (...args: string[]) => Promise<string>;

/** Uses its own folder, so that a user's helm settings have no effect. */
export function openHelm(program: string, kubeconfig?: string): Helm {
  const home = mkdtempSync(join(tmpdir(), 'seqpanel-helm-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    ...(kubeconfig && { KUBECONFIG: kubeconfig }),
  };
  return async (...args) => {
    try {
      const { stdout } = await run(program, args, { env, cwd: CHART, maxBuffer: 64 * 2 ** 20 });
      return stdout;
    } catch (error) {
      const { stderr, stdout } = error as { stderr: string; stdout: string };
      throw new Error(`helm ${args.join(' ')}: ${stdout.slice(-4000)}${said(stderr)}`, { cause: error });
    }
  };
}

/** helm reports the linked folder of definitions at every call. */
const said = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => !line.includes('found symbolic link'))
    .join('\n')
    .trim();

/** Returns the objects of a text of manifests. */
export const objectsOf = (manifests: string): KubeObject[] =>
  parseAllDocuments(manifests)
    .map((document) => document.toJS() as KubeObject)
    .filter((object) => object !== null);

/** Returns the pods that an object creates. */
export function podsOf(object: KubeObject): KubeObject[] {
  if (object.kind === 'Pod') return [object];
  const template = object.spec?.template;
  if (!template?.spec?.containers) return [];
  const claims = (object.spec.volumeClaimTemplates ?? []).map(({ metadata: { name } }: KubeObject) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${object.metadata.name}-0` },
  }));
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: `${object.metadata.name}-pod` },
      spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claims] },
    },
  ];
}
