/** Address of servers on this machine for pods. */
import { describeSkipped } from '../../binaries.ts';
import { describeOnNodes, type TestCluster } from '../../node/describe-on-nodes.ts';
import { ADDRESS } from '../../node/layout.ts';

/** This machine's address as seen by pods. On the node tier, the node's address. */
const HOST = process.env['SEQPANEL_TEST_KUBECONFIG'] ? process.env['SEQPANEL_TEST_HOST'] : ADDRESS;

/** `describeOnNodes` for tests whose pods reach servers of this process at `host`. */
export function describeBesideNodes(title: string, block: (cluster: () => TestCluster, host: string) => void): void {
  if (HOST) describeOnNodes(title, (cluster) => block(cluster, HOST));
  else describeSkipped(title, "SEQPANEL_TEST_HOST, this machine's address as the cluster's pods see it, is not set");
}
