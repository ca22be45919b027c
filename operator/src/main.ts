/** The operator's process: settings, client, operator, probes; and an end in order. */

import { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { readConfig } from './config.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createOperator } from './operator.ts';
import { serve } from './serve.ts';

/** Longest time that work under way may take to end after a signal. */
const DRAIN_MS = 10_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logFormat, config.logLevel);
  const client = new KubeClient(config.access, { namespace: config.namespace, userAgent: 'seqpanel-operator' });
  const metrics = createMetrics();
  const operator = createOperator({ client, ...config, log, metrics, now: Date.now });
  const { server, port } = await serve({
    host: config.host,
    port: config.metricsPort,
    registry: metrics.registry,
    ready: operator.ready,
  });
  log.info({ server: config.access.server, namespace: config.namespace, port }, 'The operator starts');

  const ending = new AbortController();
  const end = (reason: string): void => {
    if (ending.signal.aborted) return;
    log.info({ reason }, 'The operator ends');
    ending.abort();
    setTimeout(() => process.exit(0), DRAIN_MS).unref();
  };
  process.once('SIGTERM', () => end('SIGTERM'));
  process.once('SIGINT', () => end('SIGINT'));
  if (config.endWithStdin) process.stdin.resume().once('close', () => end('the parent has gone'));

  await operator.run(ending.signal);
  await client.close();
  server.closeAllConnections();
  server.close();
  process.exit(0);
}

main().catch((error: Error) => {
  process.stderr.write(`seqpanel operator: ${error.message}\n${error.stack ?? ''}\n`);
  process.exit(1);
});
