/**
 * Queue of the mirror's writes, with the newest object of each key. Changes come before resynced objects, of which
 * there are thousands after a start.
 */

import type { Logger } from 'pino';
import { createLoop, type Loop } from '../../live/wake.ts';

/** Entries compared with the database in one query. */
const BATCH = 500;

export interface QueueEntry<T> {
  key: string;
  /** Object that `upToDate` compares. Undefined: written without comparing. */
  object?: T;
  write: () => Promise<void>;
}

export interface QueueOptions<T> {
  name: string;
  log: Logger;
  pollMs: number;
  now: () => Date;
  /** Returns the keys of entries that the database already has. */
  upToDate: (entries: readonly QueueEntry<T>[]) => Promise<ReadonlySet<string>>;
}

export interface WriteQueue<T> extends Loop {
  /** `live`: a change that was just received. */
  add(entry: QueueEntry<T>, live: boolean): void;
  /** Time since which the oldest entry of a kind has been waiting. */
  oldest(kind: string): Date | undefined;
}

export function createWriteQueue<T>({ name, log, pollMs, now, upToDate }: QueueOptions<T>): WriteQueue<T> {
  const live = new Map<string, QueueEntry<T>>();
  const rest = new Map<string, QueueEntry<T>>();
  /** Entries of `rest` that were compared and must be written. */
  const compared = new Set<QueueEntry<T>>();
  /** Time at which each unwritten key was added. */
  const waiting = new Map<string, Date>();

  const isPending = (key: string): boolean => live.has(key) || rest.has(key);
  const done = (key: string): void => {
    if (isPending(key)) waiting.set(key, now());
    else waiting.delete(key);
  };

  async function compare(): Promise<void> {
    const entries = [...rest.values()].slice(0, BATCH).filter((entry) => !compared.has(entry));
    const asked = entries.filter(({ object }) => object !== undefined);
    const known = asked.length > 0 ? await upToDate(asked) : new Set<string>();
    for (const entry of entries) {
      if (!known.has(entry.key)) compared.add(entry);
      else if (rest.get(entry.key) === entry) {
        rest.delete(entry.key);
        done(entry.key);
      }
    }
  }

  async function writeOne(from: Map<string, QueueEntry<T>>, entry: QueueEntry<T>): Promise<void> {
    from.delete(entry.key);
    try {
      await entry.write();
    } catch (error) {
      // Retried later, unless a newer object arrived.
      if (!isPending(entry.key)) from.set(entry.key, entry);
      throw error;
    }
    compared.delete(entry);
    done(entry.key);
  }

  const loop = createLoop({
    name,
    log,
    pollMs,
    work: async (signal) => {
      while (!signal.aborted) {
        const [change] = live.values();
        if (change) {
          await writeOne(live, change);
          continue;
        }
        const [next] = rest.values();
        if (!next) break;
        if (compared.has(next)) await writeOne(rest, next);
        else await compare();
      }
      return undefined;
    },
  });

  return {
    wake: loop.wake,
    run: loop.run,
    add: (entry, isLive) => {
      const target = isLive || live.has(entry.key) ? live : rest;
      const replaced = rest.get(entry.key);
      if (replaced) compared.delete(replaced);
      rest.delete(entry.key);
      target.set(entry.key, entry);
      if (!waiting.has(entry.key)) waiting.set(entry.key, now());
      loop.wake();
    },
    oldest: (kind) => {
      const since = [...waiting].filter(([key]) => key.startsWith(`${kind}/`)).map(([, date]) => date.getTime());
      return since.length > 0 ? new Date(since.reduce((least, ms) => Math.min(least, ms))) : undefined;
    },
  };
}
