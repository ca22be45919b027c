import { describeOnCluster } from '../cluster/binaries.ts';
import { startRealServer } from './server.ts';
import { kubernetesContract } from './suite.ts';

describeOnCluster('the contract on a real control plane', (binaries) => {
  kubernetesContract(() => startRealServer(binaries), true);
});
