/**
 * /ws: events for a caller with a valid token. The client sends the token in its first message, `{"token": …}`, so that
 * it appears in no access log. NOTIFY reaches every replica, so any replica can serve. Anyone may connect and send
 * anything; socket-limits.ts limits the cost.
 */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Deps } from '../feature.ts';
import type { Caller } from '../http/caller.ts';
import { addressKey, upgradeAddress } from '../http/client-address.ts';
import { pathOf, refuseUpgrade } from '../http/upgrades.ts';
import { EVENTS_CHANNEL, type Event } from './events.ts';
import { createGather } from './gather.ts';
import type { Listener } from './listener.ts';
import { CountByKey, Rate, SOCKET_LIMITS } from './socket-limits.ts';

const PING_MS = 30_000;
/** Longest time until a socket notices that its session ended. */
const RECHECK_MS = 60_000;
/** Events are throttled, because a task changes hundreds of times in a few seconds during ingest. */
const GATHER_MS = 500;
/** Application close code, like HTTP 401. */
const UNAUTHORIZED = 4401;
/** RFC 6455, 7.4.1: 1007 invalid data, 1008 policy violation, 1011 internal error. */
const INVALID_MESSAGE = 1007;
const POLICY = 1008;
const FAILED = 1011;

export interface Live {
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  run(signal: AbortSignal): Promise<void>;
}

interface Client {
  caller: Caller;
  token: string;
  alive: boolean;
}

/** Returns `task` or `job` for members of the event's group and `admin` for the admin area, which gets all events. */
function topicOf(event: Event, caller: Caller): 'task' | 'job' | 'admin' | undefined {
  if ('group' in event && caller.groups.some(({ id }) => id === event.group)) return 'task' in event ? 'task' : 'job';
  return caller.isStaff || caller.isSuperuser ? 'admin' : undefined;
}

/** Returns what the event is about: events about the same object are gathered. */
function subjectOf(event: Event): string {
  if ('task' in event) return `task/${event.task}`;
  return 'job' in event ? `job/${event.job}` : `workers/${event.workers}`;
}

/** Returns the token of a client's message, or undefined. Never throws, because clients may send anything. */
export function readToken(text: string): string | undefined {
  try {
    const token = (JSON.parse(text) as { token?: unknown } | null)?.token;
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

export function createLive(
  { authenticate, config, log }: Pick<Deps, 'authenticate' | 'config' | 'log'>,
  listener: Listener,
  limits = SOCKET_LIMITS,
): Live {
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.payloadBytes, clientTracking: true });
  const clients = new Map<WebSocket, Client>();
  const waiting = new CountByKey(limits.waitingPerAddress);

  /** Starts the closing handshake, and closes the socket if the client does not complete it. */
  function dismiss(socket: WebSocket, code: number, reason?: string): void {
    clients.delete(socket);
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), limits.closeMs).unref();
  }

  /**
   * Disconnects a client that does not read, because its unsent events would fill our memory. It reconnects and
   * fetches.
   */
  function send(socket: WebSocket, message: object): void {
    if (socket.bufferedAmount > limits.bufferedBytes) socket.terminate();
    else socket.send(JSON.stringify(message));
  }

  async function admit(socket: WebSocket, token: string): Promise<void> {
    const caller = await authenticate(token);
    if (socket.readyState !== WebSocket.OPEN) return;
    if (!caller) return dismiss(socket, UNAUTHORIZED, 'unauthorized');
    const own = [...clients].filter(([other, client]) => other !== socket && client.caller.userId === caller.userId);
    if (own.length >= limits.perUser) return dismiss(socket, POLICY, 'too many connections');
    clients.set(socket, { caller, token, alive: true });
    send(socket, { type: 'ready' });
  }

  function accept(socket: WebSocket, address: string, bearer: string | undefined): void {
    let isWaiting = true;
    const stopWaiting = (): void => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(late);
      waiting.leave(address);
    };
    const late = setTimeout(() => dismiss(socket, UNAUTHORIZED, 'unauthorized'), limits.authMs);
    const rate = new Rate(limits, performance.now());
    const isWithinRate = (): boolean => {
      if (socket.readyState !== WebSocket.OPEN) return false;
      const isWithin = rate.take(performance.now());
      if (!isWithin) dismiss(socket, POLICY, 'too many messages');
      return isWithin;
    };
    /** Handles tokens one after another. The last one counts. */
    let admitting: Promise<void> = Promise.resolve();
    const show = (token: string): void => {
      admitting = admitting
        .then(() => admit(socket, token))
        .then(() => clients.has(socket) && stopWaiting())
        .then(
          () => undefined,
          (err) => {
            log.error({ err }, 'websocket not admitted');
            dismiss(socket, FAILED);
          },
        );
    };
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      stopWaiting();
      clients.delete(socket);
    });
    socket.on('pong', () => {
      const client = clients.get(socket);
      if (client) client.alive = true;
    });
    socket.on('ping', isWithinRate);
    socket.on('message', (data) => {
      if (!isWithinRate()) return;
      const token = readToken(String(data));
      // A renewed token replaces the old one without a new connection.
      if (token === undefined) dismiss(socket, INVALID_MESSAGE, 'not {"token": text}');
      else show(token);
    });
    if (bearer) show(bearer);
  }

  const gather = createGather(GATHER_MS, deliver);
  listener.on(EVENTS_CHANNEL, (payload) => {
    if (payload === '') {
      // Events may have been missed during the gap, so clients fetch again.
      for (const socket of clients.keys()) send(socket, { type: 'resync' });
      return;
    }
    const event = JSON.parse(payload) as Event;
    gather.add(subjectOf(event), event);
  });

  function deliver(event: Event): void {
    for (const [socket, { caller }] of clients) {
      const type = topicOf(event, caller);
      if (type) send(socket, { type, ...event });
    }
  }

  async function recheck(): Promise<void> {
    for (const [socket, client] of [...clients]) {
      const caller = await authenticate(client.token);
      if (caller) client.caller = caller;
      else dismiss(socket, UNAUTHORIZED, 'unauthorized');
    }
  }

  return {
    upgrade: (req, socket, head) => {
      if (!/^\/ws\/?$/.test(pathOf(req.url))) return false;
      const address = addressKey(upgradeAddress(req, config.trustProxy));
      if (server.clients.size >= limits.sockets) refuseUpgrade(socket, '503 Service Unavailable');
      else if (!waiting.enter(address)) refuseUpgrade(socket, '429 Too Many Requests');
      else {
        const bearer = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '')?.[1];
        let isAccepted = false;
        server.handleUpgrade(req, socket, head, (accepted) => {
          isAccepted = true;
          accept(accepted, address, bearer);
        });
        // Without a verifyClient, handleUpgrade has accepted or rejected by the time it returns.
        if (!isAccepted) waiting.leave(address);
      }
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
        () => void recheck().catch((error) => log.warn({ err: error }, 'websocket sessions not checked')),
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
