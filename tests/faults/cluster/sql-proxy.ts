/**
 * A proxy between the api and Postgres on a unix socket. Stops at a statement, so that the api can be killed at that
 * moment.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const SOCKET = '.s.PGSQL.5432';

export class SqlProxy {
  /** Folder of its socket, as `host` of a connection string. */
  readonly folder: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #hook: { statement: RegExp; reached: () => void } | undefined;

  private constructor(folder: string, targetFolder: string) {
    this.folder = folder;
    this.#server = createServer((client) => this.#serve(client, connect(join(targetFolder, SOCKET))));
  }

  /** `targetFolder` holds the socket of Postgres. */
  static async start(folder: string, targetFolder: string): Promise<SqlProxy> {
    mkdirSync(folder, { recursive: true });
    const proxy = new SqlProxy(folder, targetFolder);
    await once(proxy.#server.listen(join(folder, SOCKET)), 'listening');
    return proxy;
  }

  /**
   * Calls `reached` at the next matching statement and breaks its connection. Postgres never receives the statement.
   */
  stopAt(statement: RegExp, reached: () => void): void {
    this.#hook = { statement, reached };
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.pipe(client);
    client.on('data', (data: Buffer) => {
      const hook = this.#hook;
      if (hook?.statement.test(data.toString('latin1'))) {
        this.#hook = undefined;
        hook.reached();
        client.destroy();
      } else server.write(data);
    });
  }
}
