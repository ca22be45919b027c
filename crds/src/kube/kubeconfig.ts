/**
 * Finds the Kubernetes API and its credentials: the files of KUBECONFIG, or the pod's service account.
 * @kubernetes/client-node reads them. It is loaded only here and on demand, because it uses 45 MB of memory (docs/adr/0002).
 */

import type { KubeConfig } from '@kubernetes/client-node';
import type { KubeAccess } from './access.ts';
import { Credentials } from './credentials.ts';
import { readKubeconfigs } from './kubeconfig-files.ts';

type Environment = Record<string, string | undefined>;

/**
 * Reads KUBECONFIG (one file or a list), otherwise the pod's service account. Throws an Error that names the file or
 * variable when neither exists, the current context is incomplete, or its auth-provider is not supported.
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

/** Removes the password. The local kubeconfig has it in the URL too, because kubectl sends no token over plain HTTP. */
const withoutPassword = (server: string): string => server.replace(/\/+$/, '').replace(/\/\/[^/@]*@/, '//');
