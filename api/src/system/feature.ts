/** /healthz, /readyz, /metrics and the document itself. */
import { collectDefaultMetrics } from 'prom-client';
import type { Deps, Feature } from '../feature.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { measureState } from './measures.ts';

/** `features` are asked for their readiness; the database is asked here. */
export function createSystem(deps: Deps, document: OpenApiDocument, features: () => readonly Feature[]): Feature {
  collectDefaultMetrics({ register: deps.metrics });
  measureState(deps);
  let text: string | undefined;

  async function readiness(): Promise<Record<string, string>> {
    const parts: [string, Promise<string | undefined>][] = [
      ['database', deps.db.raw('SELECT 1').then(() => undefined)],
      ...features()
        .filter((feature) => feature.ready)
        .map((feature): [string, Promise<string | undefined>] => [feature.name, feature.ready!()]),
    ];
    const answers = await Promise.all(
      parts.map(async ([name, part]) => [name, await part.catch((error: Error) => error.message || 'failed')] as const),
    );
    return Object.fromEntries(answers.map(([name, reason]) => [name, reason ?? 'ok']));
  }

  return {
    name: 'system',
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
          const parts = await readiness();
          const ready = Object.values(parts).every((reason) => reason === 'ok');
          res
            .status(ready ? 200 : 503)
            .type('application/json')
            .send(JSON.stringify(parts));
        },
      },
      getMetrics: {
        role: 'public',
        handle: async ({ res }) => {
          res.type(deps.metrics.contentType).send(await deps.metrics.metrics());
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
