/** The HTTP endpoints /metrics, /healthz and /readyz. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface ServeOptions {
  /** Undefined listens on every address, also on clusters with IPv6 only. */
  host: string | undefined;
  port: number;
  registry: Registry;
  ready: () => boolean;
}

export async function serve({ host, port, registry, ready }: ServeOptions): Promise<{ server: Server; port: number }> {
  const server = createServer(async (request, response) => {
    const answer = (status: number, text: string, type = 'text/plain'): void => {
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    if (request.url === '/healthz') return answer(200, 'ok\n');
    if (request.url === '/readyz') return ready() ? answer(200, 'ok\n') : answer(503, 'caches are not filled\n');
    if (request.url === '/metrics') return answer(200, await registry.metrics(), registry.contentType);
    return answer(404, 'not found\n');
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
