// npm run cluster -- up | down | status | load FILE_OR_IMAGE...   a real single-node Kubernetes on this machine
// npm run test:cluster [-- JEST ARGUMENTS]                          every test on real nodes, on such a cluster
// Installs what a real node needs, then starts tests/cluster/node.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { handOver, prepareNode } from './hand-over.mjs';
import { debianTools, ROOT, tryInstallTools } from './install.mjs';

/** Installs programs from Debian packages and Go modules. The tests that need a missing one report it. */
export function prepareCluster() {
  if (process.getuid?.() === 0) {
    const problem = tryInstallTools(debianTools('tests/cluster/node'));
    if (problem) console.log(problem);
  }
  spawnSync('bash', ['tests/cluster/build.sh'], { cwd: ROOT, stdio: 'inherit' });
}

if (process.argv[1] === import.meta.filename) {
  prepareNode();
  const [command] = process.argv.slice(2);
  const given = process.env.SEQPANEL_TEST_KUBECONFIG; // an existing cluster, which needs nothing on this machine
  if (command === 'up' || (command === 'test' && !given)) prepareCluster();
  handOver(join(ROOT, 'tests', 'cluster', 'node', 'main.ts'), process.argv.slice(2));
}
