/** Addresses and folder of the node tier. A machine has at most one. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const NODE = 'node1';
/** The node's and the API server's address, on a bridge without ports: Kubernetes refuses loopback. */
export const ADDRESS = '10.200.0.1';
export const API_PORT = 6443;
export const POD_RANGE = '10.244.0.0/24';
export const DNS_DOMAIN = 'cluster.local';
/** Same as in clean.sh. */
export const NODE_BRIDGE = 'seqpanel-node';
export const POD_BRIDGE = 'seqpanel-pods';
export const POD_NETWORK = 'seqpanel-cluster';
/** Contains the folder of the cluster that runs or was killed. */
export const LEFT_BY = '/run/seqpanel-cluster';
/** Marks the folder, so that no other folder is ever deleted. */
export const MARK = '.seqpanel-cluster';
/**
 * Abstract socket of the process that holds the cluster. The kernel gives it to one process and releases it when that
 * process ends.
 */
export const SOCKET = '\0seqpanel-cluster';

/** Paths of one cluster. */
export interface Layout {
  folder: string;
  controlPlane: string;
  kubeconfig: string;
  containerdSocket: string;
  auditLog: string;
  /** For hostPath volumes that tests claim. */
  storage: string;
}

/** The folder is SEQPANEL_CLUSTER_DIR, else a folder in the user's cache. */
export function layoutOf(environment: NodeJS.ProcessEnv): Layout {
  const cache = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = resolve(environment['SEQPANEL_CLUSTER_DIR'] || join(cache, 'seqpanel', 'cluster', 'run'));
  return {
    folder,
    controlPlane: join(folder, 'control-plane'),
    kubeconfig: join(folder, 'control-plane', 'kubeconfig'),
    containerdSocket: join(folder, 'containerd.sock'),
    auditLog: join(folder, 'audit.log'),
    storage: join(folder, 'storage'),
  };
}
