/** Keeps one LISTEN connection per process. NOTIFY only wakes loops, which read the tables and also poll. */

import { sleep } from '@seqpanel/crds/kube/backoff.ts';
import pg from 'pg';
import type { Logger } from 'pino';

export interface Listener {
  /** Calls `handler` with each payload, and with '' after a reconnect, because payloads may have been missed. */
  on(channel: string, handler: (payload: string) => void): void;
  run(signal: AbortSignal): Promise<void>;
}

const RECONNECT_MS = 1_000;

/** `connect` creates a client that is not yet connected. `run` ends with its signal and never throws. */
export function createListener(databaseUrl: string, log: Logger): Listener {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  const handle = (channel: string, payload: string): void => {
    for (const handler of handlers.get(channel) ?? []) {
      try {
        handler(payload);
      } catch (err) {
        log.error({ err, channel, payload }, 'notification handler failed');
      }
    }
  };

  async function listen(signal: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'seqpanel-listen',
      keepAlive: true,
    });
    const lost = new Promise<Error>((resolve) => {
      client.on('error', resolve);
      client.on('end', () => resolve(new Error('the connection ended')));
    });
    try {
      await client.connect();
      client.on('notification', ({ channel, payload }) => handle(channel, payload ?? ''));
      for (const channel of handlers.keys()) await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      for (const channel of handlers.keys()) handle(channel, '');
      const stopped = new Promise<undefined>((resolve) => {
        if (signal.aborted) resolve(undefined);
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      const error = await Promise.race([lost, stopped]);
      if (error) throw error;
    } finally {
      await client.end().catch(() => {});
    }
  }

  return {
    on: (channel, handler) => {
      handlers.set(channel, [...(handlers.get(channel) ?? []), handler]);
    },
    run: async (signal) => {
      while (!signal.aborted) {
        try {
          await listen(signal);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ err: error }, 'listening connection lost, reconnecting');
          await sleep(RECONNECT_MS, signal);
        }
      }
    },
  };
}
