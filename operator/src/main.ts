/** Entry point: settings, client, leader election, operator, probes, graceful shutdown. */

import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { loadKubeAccess } from '@seqpanel/crds/kube/kubeconfig.ts';
import { readConfig } from './config.ts';
import { FencedClient } from './kube/fenced-client.ts';
import { Leader } from './kube/leader.ts';
import { steadyNow } from './kube/steady-clock.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createOperator } from './operator.ts';
import { serve } from './serve.ts';

/** Longest time for work in progress to finish after a signal. */
const DRAIN_MS = 10_000;
/** Lease shared by the operators of one namespace. */
const LEASE = 'seqpanel-operator';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { namespace, identity } = config;
  const access = await loadKubeAccess(process.env);
  const log = createLog(config.logFormat, config.logLevel);
  const metrics = createMetrics();
  const leaseClient = new KubeClient(access, { namespace, userAgent: 'seqpanel-operator/leader' });
  const leader = new Leader({
    client: leaseClient,
    name: LEASE,
    identity,
    now: steadyNow,
    onError: (err) => log.warn({ err }, 'reading or renewing the lease failed, retrying'),
  });
  const mayWrite = (): boolean => !config.leaderElection || leader.leads;
  const client = new FencedClient(access, {
    namespace,
    userAgent: 'seqpanel-operator',
    mayWrite,
    onWrite: (verb, resource) => metrics.writes.inc({ verb, resource }),
  });
  const operator = createOperator({ client, ...config, log, metrics, now: steadyNow });
  const { server, port } = await serve({
    host: config.host,
    port: config.metricsPort,
    registry: metrics.registry,
    ready: operator.ready,
  });
  log.info({ server: access.server, namespace, identity, port }, 'starting');

  const ending = new AbortController();
  const end = (reason: string): void => {
    if (ending.signal.aborted) return;
    log.info({ reason }, 'shutting down');
    ending.abort();
    setTimeout(() => process.exit(0), DRAIN_MS).unref();
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  if (config.endWithStdin) process.stdin.resume().once('close', () => end('parent exited'));

  const lead = async (): Promise<void> => {
    if (config.leaderElection) await leader.acquire(ending.signal);
    if (!mayWrite()) return;
    metrics.leader.set(1);
    log.info({ identity }, 'became leader');
  };
  const leading = lead();
  const working = operator.run(ending.signal, leading);
  if (config.leaderElection) {
    await leading;
    await leader.hold(ending.signal);
  }
  await working;
  if (config.leaderElection) await leader.release().catch((err) => log.warn({ err }, 'releasing the lease failed'));
  await Promise.all([client.close(), leaseClient.close()]);
  server.closeAllConnections();
  server.close();
  process.exit(0);
}

main().catch((error: Error) => {
  process.stderr.write(`seqpanel operator: ${error.message}\n${error.stack ?? ''}\n`);
  process.exit(1);
});
