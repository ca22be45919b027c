/**
 * Listener for operators: /metrics, /readyz with reasons, /healthz. Answers contain addresses and counts and query the
 * database, so they are not on the public port.
 */
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { pathOf } from '../http/upgrades.ts';
import type { Readiness } from './readiness.ts';

export interface MonitorOptions {
  metrics: Registry;
  readiness: () => Promise<Readiness>;
  log: Logger;
}

export function createMonitor({ metrics, readiness, log }: MonitorOptions): Server {
  const answers: Record<string, () => Promise<[status: number, type: string, text: string]>> = {
    '/healthz': async () => [200, 'text/plain', 'ok\n'],
    '/readyz': async () => {
      const { ready, parts } = await readiness();
      return [ready ? 200 : 503, 'application/json', `${JSON.stringify(parts)}\n`];
    },
    '/metrics': async () => [200, metrics.contentType, await metrics.metrics()],
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (req, res) => {
    const known = Object.hasOwn(answers, pathOf(req.url)) ? answers[pathOf(req.url)] : undefined;
    const answer = known ?? (async (): Promise<[number, string, string]> => [404, 'text/plain', 'not found\n']);
    answer().then(
      ([status, type, text]) => res.writeHead(status, { 'content-type': type }).end(text),
      (err) => {
        log.error({ err, path: pathOf(req.url) }, 'monitoring request failed');
        res.writeHead(500, { 'content-type': 'text/plain' }).end('failed\n');
      },
    );
  });
  server.maxConnections = 100;
  return server;
}
