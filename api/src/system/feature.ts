/** /healthz, a status word on /readyz, and the document. Metrics and reasons are on another port (monitor.ts). */
import { once } from 'node:events';
import { collectDefaultMetrics } from 'prom-client';
import type { Deps, Feature } from '../feature.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { measureState } from './measures.ts';
import { createMonitor } from './monitor.ts';
import { createReadiness } from './readiness.ts';

/** Asks `features` for their readiness and checks the database itself. */
export function createSystem(deps: Deps, document: OpenApiDocument, features: () => readonly Feature[]): Feature {
  collectDefaultMetrics({ register: deps.metrics });
  measureState(deps);
  const readiness = createReadiness(deps, features);
  const monitor = createMonitor({ metrics: deps.metrics, readiness, log: deps.log });
  let text: string | undefined;

  return {
    name: 'system',
    start: async () => {
      monitor.listen(deps.config.metricsPort, deps.config.metricsHost);
      await once(monitor, 'listening');
      deps.log.info({ address: monitor.address() }, 'metrics listener started');
    },
    stop: async () => {
      monitor.close();
      monitor.closeAllConnections();
    },
    routes: {
      getHealth: {
        role: 'public',
        handle: async ({ res }) => {
          res.type('text/plain').send('ok\n');
        },
      },
      getReadiness: {
        role: 'public',
        handle: async ({ res }) => {
          const { ready } = await readiness();
          res
            .status(ready ? 200 : 503)
            .type('text/plain')
            .send(ready ? 'ready\n' : 'not ready\n');
        },
      },
      getOpenApi: {
        role: 'public',
        handle: async ({ res }) => {
          text ??= JSON.stringify(document);
          res.type('application/json').send(text);
        },
      },
    },
  };
}
