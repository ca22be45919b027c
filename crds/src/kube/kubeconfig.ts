/**
 * Where the Kubernetes API is and how to prove who we are: a kubeconfig file (KUBECONFIG, one file) or the service
 * account of the pod. Tokens, token files, client certificates and CAs are read; `exec` and `auth-provider` are not,
 * because a server process has a service account. (The config module of @kubernetes/client-node pulls in all its models.)
 */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/** A bound token is renewed by the kubelet at 80 % of its life (10 min at the least); a minute is often enough. */
const TOKEN_REREAD_MS = 60_000;

export interface KubeAccess {
  /** Base URL without a trailing slash. */
  server: string;
  /** Namespace of the context or of the service account. */
  namespace: string | undefined;
  ca?: string;
  cert?: string;
  key?: string;
  insecure: boolean;
  /** The bearer token of now; `fresh` reads a token file again even if it was read a moment ago. */
  token: (fresh?: boolean) => string | undefined;
}

interface KubeConfigFile {
  'current-context'?: string;
  contexts?: { name: string; context: { cluster: string; user?: string; namespace?: string } }[];
  clusters?: {
    name: string;
    cluster: {
      server: string;
      'certificate-authority'?: string;
      'certificate-authority-data'?: string;
      'insecure-skip-tls-verify'?: boolean;
    };
  }[];
  users?: {
    name: string;
    user: {
      token?: string;
      tokenFile?: string;
      'client-certificate'?: string;
      'client-certificate-data'?: string;
      'client-key'?: string;
      'client-key-data'?: string;
    };
  }[];
}

/**
 * Reads KUBECONFIG, else the pod's service account. Throws an Error that names the file or the variable when neither
 * is there or the file does not hold what it must.
 */
export function loadKubeAccess(env: Record<string, string | undefined>): KubeAccess {
  if (env['KUBECONFIG']) return accessFromFile(env['KUBECONFIG']);
  const server = serverInCluster(env);
  if (!server) throw new Error('KUBECONFIG is not set and this process does not run in a cluster');
  const token = tokenFile(`${SERVICE_ACCOUNT}/token`);
  return {
    server,
    namespace: readFileSync(`${SERVICE_ACCOUNT}/namespace`, 'utf8').trim(),
    ca: readFileSync(`${SERVICE_ACCOUNT}/ca.crt`, 'utf8'),
    insecure: false,
    token,
  };
}

/** Where a pod finds the API server; undefined outside of a cluster. The host is an address, of IPv6 without brackets. */
export function serverInCluster(env: Record<string, string | undefined>): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  return host ? `https://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined;
}

/** Reads one kubeconfig file; relative paths in it are relative to the file. */
export function accessFromFile(path: string): KubeAccess {
  let config: KubeConfigFile;
  try {
    config = parse(readFileSync(path, 'utf8')) as KubeConfigFile;
  } catch (error) {
    throw new Error(`KUBECONFIG ${path}: ${(error as Error).message}`, { cause: error });
  }
  const context = named(config.contexts, config['current-context'], path, 'context').context;
  const cluster = named(config.clusters, context.cluster, path, 'cluster').cluster;
  const user = context.user ? named(config.users, context.user, path, 'user').user : {};
  const pem = (data: string | undefined, file: string | undefined): string | undefined =>
    data ? Buffer.from(data, 'base64').toString('utf8') : file && readFileSync(resolve(dirname(path), file), 'utf8');
  const ca = pem(cluster['certificate-authority-data'], cluster['certificate-authority']);
  const cert = pem(user['client-certificate-data'], user['client-certificate']);
  const key = pem(user['client-key-data'], user['client-key']);
  return {
    // kubectl sends no token over plain http, so the local kubeconfig also has it in the URL; it must not reach a log.
    server: cluster.server.replace(/\/+$/, '').replace(/\/\/[^/@]*@/, '//'),
    namespace: context.namespace,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    insecure: cluster['insecure-skip-tls-verify'] ?? false,
    token: user.tokenFile ? tokenFile(resolve(dirname(path), user.tokenFile)) : () => user.token,
  };
}

function named<T extends { name: string }>(
  list: T[] | undefined,
  name: string | undefined,
  path: string,
  what: string,
): T {
  const found = list?.find((entry) => entry.name === name);
  if (!found) throw new Error(`KUBECONFIG ${path}: there is no ${what} "${name ?? ''}"`);
  return found;
}

function tokenFile(path: string): (fresh?: boolean) => string {
  let token = readFileSync(path, 'utf8').trim();
  let readAt = Date.now();
  return (fresh = false) => {
    if (fresh || Date.now() - readAt > TOKEN_REREAD_MS) {
      token = readFileSync(path, 'utf8').trim();
      readAt = Date.now();
    }
    return token;
  };
}
