/** Test support: an http server that answers requests with scripted handlers, in order. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import type { KubeAccess } from './access.ts';

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => void;

/** Starts on a free port. The handlers answer in order; the last one repeats. */
export async function startTestServer(...handlers: Handler[]) {
  const seen: SeenRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://test');
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
    };
    const handler = handlers[Math.min(seen.length, handlers.length - 1)];
    seen.push(request);
    handler?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const access = plainAccess(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => 'secret');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { access, seen, stop };
}

/** Access with a bearer token and without files. `token` receives true after a 401. */
export function plainAccess(server: string, token: (isRejected: boolean) => string): KubeAccess {
  return {
    server,
    namespace: 'test',
    connection: async (rejected) => ({
      headers: { authorization: `Bearer ${token(rejected !== undefined)}` },
      identity: server,
      connect: () => new Agent(),
    }),
  };
}

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** Returns a watch that sends these events, then ends or stays open. */
export const watchOf =
  (events: unknown[], then: 'end' | 'hang' | 'drop' = 'hang'): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    if (then === 'end') response.end();
    if (then === 'drop') setImmediate(() => response.destroy());
  };
