/** Passes upgrade requests (websocket) to the feature of the path, and rejects all others. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Feature } from '../feature.ts';

/**
 * Returns the path of a request target. Never throws, unlike `new URL`, which rejects targets such as `//` (RFC 9112,
 * 3.2).
 */
export const pathOf = (target: string | undefined): string => (target ?? '/').split(/[?#]/, 1)[0]!;

/** Answers every upgrade request of `server` without ever throwing. */
export function answerUpgrades(server: Server, features: readonly Feature[], log: Logger): void {
  server.on('upgrade', (req, socket, head) => {
    // Node removed its own handler. Without this one, a client that resets the connection ends the process.
    socket.on('error', () => socket.destroy());
    try {
      if (!features.some((feature) => feature.upgrade?.(req, socket, head))) refuseUpgrade(socket, '404 Not Found');
    } catch (err) {
      log.error({ err, path: pathOf(req.url) }, 'upgrade failed');
      refuseUpgrade(socket, '500 Internal Server Error');
    }
  });
}

/** Answers with the status and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
