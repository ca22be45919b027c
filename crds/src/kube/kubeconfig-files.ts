/** Reads kubeconfig files into a KubeConfig of @kubernetes/client-node. Applies kubectl's rules that client-node lacks. */

import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { parse } from 'yaml';

/** Supported auth-providers. KubeConfig ignores others, and requests would be anonymous. */
const AUTH_PROVIDERS = ['azure', 'exec', 'gcp', 'oidc', 'tokenFile'];

interface ExecPlugin {
  apiVersion?: string;
  command?: string;
  env?: { name: string; value: string }[] | null;
}

/**
 * Merges files like kubectl: the first definition of a name wins, missing files are skipped. Throws an Error that names
 * the list when nothing can be read or the current context is incomplete.
 */
export async function readKubeconfigs(list: string): Promise<KubeConfig> {
  try {
    const paths = list.split(delimiter).filter((path) => path !== '');
    const found = paths.filter((path) => existsSync(path));
    if (found.length === 0) throw new Error('file not found');
    const [first, ...others] = await Promise.all(found.map(readFile));
    for (const other of others) {
      other.clusters = other.clusters.filter(({ name }) => !first!.getCluster(name));
      other.users = other.users.filter(({ name }) => !first!.getUser(name));
      other.contexts = other.contexts.filter(({ name }) => !first!.getContextObject(name));
      first!.mergeConfig(other, Boolean(first!.getCurrentContext()));
    }
    checkContext(first!);
    return first!;
  } catch (error) {
    throw new Error(`KUBECONFIG ${list}: ${(error as Error).message}`, { cause: error });
  }
}

async function readFile(path: string): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(path);
  const folder = dirname(path);
  config.clusters = config.clusters.map(withoutTlsOnHttp);
  config.users = config.users.map((user) => withExec(withTokenFile(user, tokenFileOf(path, user.name)), folder));
  return config;
}

/** KubeConfig rejects plain HTTP unless TLS verification is off. Without TLS there is nothing to verify. */
const withoutTlsOnHttp = (cluster: Cluster): Cluster =>
  cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster;

/** KubeConfig reads the `tokenFile` of an auth-provider but not of a user. As in kubectl it has priority over `token`. */
function withTokenFile(user: User, path: string | undefined): User {
  if (path === undefined) return user;
  const { token: _, ...rest } = user;
  return { ...rest, authProvider: { name: 'tokenFile', config: { tokenFile: path } } };
}

function tokenFileOf(path: string, name: string): string | undefined {
  const file = parse(readFileSync(path, 'utf8')) as { users?: { name: string; user?: { tokenFile?: string } }[] };
  const tokenFile = file.users?.find((each) => each.name === name)?.user?.tokenFile;
  return tokenFile && resolve(dirname(path), tokenFile);
}

/** Plugins built with client-go need KUBERNETES_EXEC_INFO. A command with a slash is relative to the file. */
function withExec(user: User, folder: string): User {
  const exec = user.exec as ExecPlugin | undefined;
  if (!exec) return user;
  const info = { apiVersion: exec.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const command = exec.command?.includes('/') ? resolve(folder, exec.command) : exec.command;
  const env = [{ name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }, ...(exec.env ?? [])];
  return { ...user, exec: { ...exec, command, env } };
}

function checkContext(config: KubeConfig): void {
  const context = config.getContextObject(config.getCurrentContext());
  if (!context) throw new Error(`context "${config.getCurrentContext() ?? ''}" not found`);
  if (!config.getCluster(context.cluster)) throw new Error(`cluster "${context.cluster}" not found`);
  if (!context.user) return;
  const user = config.getUser(context.user);
  if (!user) throw new Error(`user "${context.user}" not found`);
  const provider = user.authProvider as { name?: string } | undefined;
  if (provider && !AUTH_PROVIDERS.includes(provider.name ?? ''))
    throw new Error(
      `user "${user.name}" needs the auth-provider "${provider.name ?? ''}", which is not supported; use an exec plugin`,
    );
}
