/** A proxy before an API server that records every write with its time. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type KubeServer, kubeconfigOf } from './kube-http.ts';

export interface WriteRecorder {
  /** The text of a kubeconfig that uses the proxy. */
  kubeconfig: string;
  /** Writes so far, as `PATCH /apis/…`, except those of Leases. */
  writes: string[];
  stop(): void;
}

export async function startWriteRecorder(server: KubeServer, namespace: string): Promise<WriteRecorder> {
  const writes: string[] = [];
  const target = new URL(server.url);
  const proxy = createServer((call, answer) => {
    if (call.method !== 'GET' && !call.url?.includes('/leases')) writes.push(`${call.method} ${call.url}`);
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const options = { method: call.method, headers: call.headers, ...(server.ca && { ca: server.ca }) };
    const onward = open(new URL(call.url ?? '/', target), options, (found: IncomingMessage) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      answer.flushHeaders();
      found.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    call.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    kubeconfig: kubeconfigOf({ url, token: server.token }, namespace),
    writes,
    stop: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
