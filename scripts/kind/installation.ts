/** The installation on a kind cluster: names, and the objects that are not in tests/cluster/kind-volumes.yaml. */

import { randomBytes } from 'node:crypto';

/** Name of the kind cluster, the namespace and the Helm release. */
export const NAME = 'seqpanel';
/** Folder of the nodes that holds the volumes of kind-volumes.yaml. */
export const NODE_FOLDER = '/var/lib/seqpanel-test/kind';
const VOLUMES = ['files', 'database'];

/** Shell commands for a node. Everyone may write, because Kubernetes sets no group on a folder of a node. */
export const MAKE_FOLDERS = VOLUMES.map((name) => `mkdir -p -m 2777 ${NODE_FOLDER}/${name}`).join(' && ');
export const REMOVE_FOLDERS = `rm -rf ${NODE_FOLDER}`;

/** Returns a Secret with the chart's keys and new random values. */
export const newSecret = (): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: NAME, namespace: NAME },
    type: 'Opaque',
    stringData: {
      'postgres-password': randomBytes(24).toString('hex'),
      'postgres-api-password': randomBytes(24).toString('hex'),
      'session-secret': randomBytes(32).toString('hex'),
      'first-admin-password': `Aa1-${randomBytes(8).toString('hex')}`,
    },
  });

/** Returns what helm test printed about its suites, without the chart's notes. */
export function suitesOf(printed: string): string {
  const lines = printed.split('\n');
  const first = lines.findIndex((line) => line.startsWith('TEST SUITE:'));
  const notes = lines.findIndex((line) => line.startsWith('NOTES:'));
  return lines
    .slice(Math.max(0, first), notes < 0 ? undefined : notes)
    .join('\n')
    .trim();
}

/** Returns the environment without variables that select another cluster. */
export const withoutClusters = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('HELM_KUBE') && name !== 'KUBECONFIG'));
