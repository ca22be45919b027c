/** Proxies an LDAP server and replaces the result code of its bind answers. */
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

export interface ChangedDirectory {
  url: string;
  /** Number of changed answers. */
  changed(): number;
  close(): Promise<void>;
}

/** A BindResponse (RFC 4511 4.2.2) in BER: [APPLICATION 1], its length, and the result code as ENUMERATED of one byte. */
const BIND_RESPONSE = 0x61;
const ENUMERATED = 0x0a;

export async function changeResultCode(url: string, from: number, to: number): Promise<ChangedDirectory> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let changed = 0;
  const server = createServer((client) => {
    const upstream = createConnection(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(BIND_RESPONSE);
      const isFrom = at >= 0 && bytes[at + 2] === ENUMERATED && bytes[at + 3] === 1 && bytes[at + 4] === from;
      if (isFrom) {
        bytes[at + 4] = to;
        changed++;
      }
      client.write(bytes);
    });
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changed: () => changed,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    },
  };
}
