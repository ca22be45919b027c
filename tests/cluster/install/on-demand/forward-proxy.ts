/** A forward proxy on this machine (only CONNECT, RFC 9110 9.3.6) that records the requested hosts. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ForwardProxy {
  url: string;
  /** host:port of each CONNECT, in order. */
  asked: string[];
  close(): Promise<void>;
}

/** `names`: addresses of hosts that only this proxy knows. */
export async function startForwardProxy(
  address: string,
  names: Record<string, { host: string; port: number }>,
): Promise<ForwardProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((_, answer) => answer.writeHead(405).end());
  server.on('connect', ({ url = '' }, client: Socket, head) => {
    asked.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const there = connect(names[hostname] ?? { host: hostname, port: Number(port || 80) }, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.write(head);
      client.pipe(there).pipe(client);
    });
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await once(server.listen(0, address), 'listening');
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
