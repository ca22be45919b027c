import { findBinaries } from '../cluster/binaries.ts';
import { startLocalServer } from './server.ts';
import { kubernetesContract } from './suite.ts';

describe('the contract on the local control plane', () => {
  kubernetesContract(startLocalServer, !('skipped' in findBinaries()));
});
