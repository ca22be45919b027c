import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { KubeHttp } from './kube-http.ts';

async function served(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const kube = new KubeHttp({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const stop = () => {
    kube.close();
    server.closeAllConnections();
    server.close();
  };
  return { kube, stop };
}

test('a call on a kept connection that the server has just closed is retried on a new one', async () => {
  const used = new WeakSet<Socket>();
  const { kube, stop } = await served((req, res) => {
    if (used.has(req.socket)) return req.socket.destroy();
    used.add(req.socket);
    return res.setHeader('content-type', 'application/json').end('{"a":1}');
  });
  for (let i = 0; i < 3; i++) expect(await kube.get('/version')).toEqual({ a: 1 });
  stop();
});

test('a server that closes each connection gives the error of the socket', async () => {
  const { kube, stop } = await served((req) => req.socket.destroy());
  await expect(kube.get('/version')).rejects.toThrow('socket hang up');
  stop();
});
