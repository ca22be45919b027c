/** The whole contract, for every server of the Kubernetes API that SeqPanel uses. */
import { deletionContract } from './contract/deletion.ts';
import { jobSpecsContract } from './contract/job-specs.ts';
import { jobsContract } from './contract/jobs.ts';
import { kubectlContract } from './contract/kubectl.ts';
import { listsContract } from './contract/lists.ts';
import { objectsContract } from './contract/objects.ts';
import { schemasContract } from './contract/schemas.ts';
import { sizeContract } from './contract/size.ts';
import { watchesContract } from './contract/watches.ts';
import type { ContractServer, Server } from './server.ts';

/** Declares the suite for the server that `start` returns. `withKubectl` false omits tests that need kubectl. */
export function kubernetesContract(start: () => Promise<ContractServer>, withKubectl: boolean): void {
  let running: ContractServer | undefined;
  const server: Server = () => {
    if (!running) throw new Error('the server did not start');
    return running;
  };
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running?.stop());

  jobsContract(server);
  jobSpecsContract(server);
  objectsContract(server);
  schemasContract(server);
  listsContract(server);
  watchesContract(server);
  deletionContract(server);
  sizeContract(server);
  if (withKubectl) kubectlContract(server);
  else
    describe.skip('kubectl (skipped: the binaries are not built)', () => void test('needs kubectl', () => undefined));
}
