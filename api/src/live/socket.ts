/**
 * /ws: events for a caller with a valid token (SPEC 7). The token comes in the first message, `{"token": …}`, so that
 * no log of addresses ever holds it. NOTIFY reaches every replica, so any of them serves.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { pathOf } from '../http/upgrades.ts';
import type { Authenticate, Caller } from '../session/caller.ts';
import { EVENTS_CHANNEL, type TaskEvent, type WorkersEvent } from './events.ts';
import { createGather } from './gather.ts';
import type { Listener } from './listener.ts';

/** A client that has not shown its token by then is sent away. */
const AUTH_MS = 10_000;
const PING_MS = 30_000;
/** A session that ended while the socket was open is noticed after this at the latest. */
const RECHECK_MS = 60_000;
/** A task whose samples are read in changes hundreds of times in a few seconds. */
const GATHER_MS = 500;
const MAX_PAYLOAD = 64 * 1024;
/** Application close codes: 4401 as HTTP 401. */
const UNAUTHORIZED = 4401;
/** RFC 6455, 7.4.1: the data are not of the type that the message should have. */
const INVALID_MESSAGE = 1007;

export interface Live {
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  run(signal: AbortSignal): Promise<void>;
}

interface Client {
  caller: Caller;
  token: string;
  alive: boolean;
}

/** `task` for the members of its group; the admin area hears of all tasks and of the workers. */
function topicOf(event: TaskEvent | WorkersEvent, caller: Caller): 'task' | 'admin' | undefined {
  if ('task' in event && caller.groups.some(({ id }) => id === event.group)) return 'task';
  return caller.isStaff || caller.isSuperuser ? 'admin' : undefined;
}

/** The token of a client's message; undefined when it holds none. Anybody may send anything here, so it never throws. */
export function readToken(text: string): string | undefined {
  try {
    const token = (JSON.parse(text) as { token?: unknown } | null)?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

export function createLive(authenticate: Authenticate, listener: Listener, log: Logger): Live {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD, clientTracking: true });
  const clients = new Map<WebSocket, Client>();

  async function admit(socket: WebSocket, token: string): Promise<void> {
    const caller = await authenticate(token);
    if (!caller) return socket.close(UNAUTHORIZED, 'unauthorized');
    clients.set(socket, { caller, token, alive: true });
    socket.send(JSON.stringify({ type: 'ready' }));
  }

  function accept(socket: WebSocket, token: string | undefined): void {
    const late = setTimeout(() => socket.close(UNAUTHORIZED, 'unauthorized'), AUTH_MS);
    const admitted = (text: string): void => {
      clearTimeout(late);
      admit(socket, text).catch((error) => {
        log.error({ err: error }, 'A websocket could not be admitted');
        socket.close(1011);
      });
    };
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clearTimeout(late);
      clients.delete(socket);
    });
    socket.on('pong', () => {
      const client = clients.get(socket);
      if (client) client.alive = true;
    });
    socket.on('message', (data) => {
      const shown = readToken(String(data));
      // A renewed token replaces the old one without a new connection.
      if (shown === undefined) socket.close(INVALID_MESSAGE, 'not {"token": text}');
      else admitted(shown);
    });
    if (token) admitted(token);
  }

  const gather = createGather(GATHER_MS, send);
  listener.on(EVENTS_CHANNEL, (payload) => {
    if (payload === '') {
      // After a gap something may have been missed: clients fetch what they show.
      for (const socket of clients.keys()) socket.send(JSON.stringify({ type: 'resync' }));
      return;
    }
    const event = JSON.parse(payload) as TaskEvent | WorkersEvent;
    gather.add('task' in event ? `task/${event.task}` : `workers/${event.workers}`, event);
  });

  function send(event: TaskEvent | WorkersEvent): void {
    for (const [socket, { caller }] of clients) {
      const type = topicOf(event, caller);
      if (type) socket.send(JSON.stringify({ type, ...event }));
    }
  }

  async function recheck(): Promise<void> {
    for (const [socket, client] of [...clients]) {
      const caller = await authenticate(client.token);
      if (caller) client.caller = caller;
      else socket.close(UNAUTHORIZED, 'unauthorized');
    }
  }

  return {
    upgrade: (req, socket, head) => {
      if (!/^\/ws\/?$/.test(pathOf(req.url))) return false;
      const bearer = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
      server.handleUpgrade(req, socket, head, (accepted) => accept(accepted, bearer));
      return true;
    },
    run: async (signal) => {
      const ping = setInterval(() => {
        for (const [socket, client] of clients) {
          if (!client.alive) socket.terminate();
          client.alive = false;
          socket.ping();
        }
      }, PING_MS);
      const checks = setInterval(
        () => void recheck().catch((error) => log.warn({ err: error }, 'Sessions of websockets could not be checked')),
        RECHECK_MS,
      );
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      clearInterval(ping);
      clearInterval(checks);
      gather.stop();
      for (const socket of server.clients) socket.close(1001);
      server.close();
    },
  };
}
