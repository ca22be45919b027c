/**
 * npm run kind: installs the product on a new kind cluster and runs `helm test`.
 *
 * up     builds the images, creates the cluster, installs the chart and tests it. Updates a running cluster.
 * test   runs helm test again.
 * down   deletes the cluster and its files.
 */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { answers } from '../images/client.ts';
import { parseCommand } from './arguments.ts';
import { KindCluster } from './cluster.ts';
import { NAME, withoutClusters } from './installation.ts';
import { findPrograms } from './programs.ts';
import { Interrupted, runner } from './runner.ts';
import { testInstallation, up } from './up.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
const KUBECONFIG = join(CACHE, 'seqpanel', 'kind', 'kubeconfig');

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2), process.env, process.env['INIT_CWD'] ?? process.cwd());
  if (command.config !== undefined && !existsSync(command.config))
    throw new Error(`File not found: ${command.config}. --config must be the path of a kind configuration.`);
  const programs = findPrograms(ROOT);
  if (!answers({ program: programs.docker, env: process.env }))
    throw new Error('Docker does not answer. Start it or set DOCKER_HOST, and check it with `docker info`.');
  const env = withoutClusters(process.env);
  const run = runner(ending.signal, env);
  const cluster = new KindCluster(programs, run, KUBECONFIG);
  /** Also cleans up after a signal. */
  const remains = new KindCluster(programs, runner(undefined, env), KUBECONFIG);

  if (command.action === 'down') {
    console.log(
      (await remains.delete()) ? 'Deleted the kind cluster and its files.' : `No kind cluster named ${NAME}.`,
    );
  } else if (command.action === 'test') {
    if (!(await cluster.exists())) throw new Error(`No kind cluster named ${NAME}. Create it: npm run kind -- up`);
    await cluster.exportKubeconfig();
    await testInstallation(cluster);
  } else {
    await up({ root: ROOT, run, cluster, remains, image: command.image, config: command.config });
  }
}

main().catch((error: Error) => {
  console.error(error instanceof Interrupted ? 'Interrupted.' : error.message);
  process.exit(error instanceof Interrupted ? 130 : 1);
});
