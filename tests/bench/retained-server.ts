/** A process for bench:list: serves tasks like an API server. Every other list is empty. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { retainedTask } from './retained-tasks.ts';

const [count, samples] = process.argv.slice(2).map(Number) as [number, number];
const VERSION = String(count + 1);

function list(response: ServerResponse, from: number, limit: number): void {
  const to = Math.min(count, from + limit);
  const items = Array.from({ length: to - from }, (_, i) => {
    const task = retainedTask(`task-${from + i}`, samples);
    const stored = {
      namespace: 'seqpanel',
      uid: `uid-${from + i}`,
      resourceVersion: String(from + i + 1),
      generation: 1,
    };
    return { ...task, metadata: { ...task.metadata, ...stored, creationTimestamp: task.status.started } };
  });
  const more = to < count && { continue: String(to), remainingItemCount: count - to };
  response.end(JSON.stringify({ metadata: { resourceVersion: VERSION, ...more }, items }));
}

/** The first watch of tasks ends with "too old", so that all tasks are listed a second time. */
let isExpired = false;
function endOfWatch(path: string): string {
  if (isExpired || !path.endsWith('/analysistasks')) return '';
  isExpired = true;
  return `${JSON.stringify({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })}\n`;
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://server');
  response.setHeader('content-type', 'application/json');
  if (url.searchParams.get('watch')) {
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: VERSION } } };
    response.write(`${JSON.stringify(bookmark)}\n`);
    setTimeout(() => response.end(endOfWatch(url.pathname)), Number(url.searchParams.get('timeoutSeconds')) * 1000);
  } else if (request.method !== 'GET') response.end(JSON.stringify({ metadata: {} }));
  else if (url.pathname.endsWith('/analysistasks'))
    list(response, Number(url.searchParams.get('continue') ?? 0), Number(url.searchParams.get('limit') ?? count));
  else if (url.searchParams.has('limit'))
    response.end(JSON.stringify({ metadata: { resourceVersion: VERSION }, items: [] }));
  else response.writeHead(404).end('{}');
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
