/**
 * Where the Kubernetes API is and how to authenticate: the files of KUBECONFIG or the service account of the pod, read by
 * @kubernetes/client-node. It is loaded only here and only when needed, because it costs 45 MB of memory (ADR 2).
 */

import type { KubeConfig } from '@kubernetes/client-node';
import type { KubeAccess } from './access.ts';
import { Credentials } from './credentials.ts';
import { readKubeconfigs } from './kubeconfig-files.ts';

type Environment = Record<string, string | undefined>;

/**
 * Reads KUBECONFIG, one file or a list of them, else the pod's service account. Throws an Error that names the file or
 * the variable when neither is there, or when the current context is incomplete or needs an unknown auth-provider.
 */
export function loadKubeAccess(env: Environment): Promise<KubeAccess> {
  const { KUBECONFIG: list, KUBERNETES_SERVICE_HOST: host } = env;
  if (list) return accessTo(() => readKubeconfigs(list));
  if (host) return accessTo(readServiceAccount);
  throw new Error('KUBECONFIG is not set and this process does not run in a cluster');
}

/** Reads one kubeconfig file. */
export const accessFromFile = (path: string): Promise<KubeAccess> => accessTo(() => readKubeconfigs(path));

async function readServiceAccount(): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromCluster();
  return config;
}

async function accessTo(read: () => Promise<KubeConfig>): Promise<KubeAccess> {
  const config = await read();
  const credentials = new Credentials(config, read);
  const context = config.getContextObject(config.getCurrentContext());
  return {
    server: withoutPassword(config.getCurrentCluster()?.server ?? ''),
    namespace: context?.namespace?.trim(),
    connection: (rejected) => credentials.connection(rejected),
  };
}

/** kubectl sends no token over plain HTTP, so the local kubeconfig also has it in the URL; it must not reach a log. */
const withoutPassword = (server: string): string => server.replace(/\/+$/, '').replace(/\/\/[^/@]*@/, '//');
