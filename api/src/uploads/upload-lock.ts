/**
 * Allows one writer per upload across all api processes: a lease in the upload's row, renewed while it is held. A
 * waiting process asks the holder to release it, because a half-open connection must not block a resume (tus), and
 * takes it when it is free or expired. Uploads therefore also resume after the writing process was killed.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Lock, Locker } from '@tus/server';
import type { Knex } from 'knex';
import { AppError } from '../errors.ts';

const LEASE_SECONDS = 6;
const RENEW_MS = 1_000;
const POLL_MS = 150;
const GIVE_UP_MS = 20_000;

export function createUploadLocker(db: Knex): Locker {
  return { newLock: (id) => new UploadLock(db, id) };
}

class UploadLock implements Lock {
  readonly #db: Knex;
  readonly #id: string;
  readonly #holder = randomUUID();
  #renewal: NodeJS.Timeout | undefined;

  constructor(db: Knex, id: string) {
    this.#db = db;
    this.#id = id;
  }

  async lock(signal: AbortSignal, letGo: () => void | Promise<void>): Promise<void> {
    for (let waited = 0; !(await this.#take()); waited += POLL_MS) {
      if (signal.aborted || waited >= GIVE_UP_MS) throw new AppError(423, 'upload_busy');
      await this.#db('upload').where({ id: this.#id }).update({ release_asked: true });
      await wait(POLL_MS);
    }
    this.#renewal = setInterval(() => {
      this.#renew().then(
        (kept) => {
          if (!kept) void letGo();
        },
        () => void letGo(), // the lease cannot be renewed: another process may take it soon
      );
    }, RENEW_MS).unref();
  }

  async unlock(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#db('upload')
      .where({ id: this.#id, locked_by: this.#holder })
      .update({ locked_by: null, locked_until: null, release_asked: false });
  }

  /** Returns true also when there is no row, because the caller then answers 404. */
  async #take(): Promise<boolean> {
    const taken = await this.#db('upload')
      .where({ id: this.#id })
      .where((free) => free.whereNull('locked_by').orWhere('locked_until', '<', this.#db.raw('clock_timestamp()')))
      .update({ locked_by: this.#holder, locked_until: this.#leaseEnd(), release_asked: false });
    if (taken > 0) return true;
    return !(await this.#db('upload').where({ id: this.#id }).first('id'));
  }

  /** Returns false when the lease is lost or another process requests it. */
  async #renew(): Promise<boolean> {
    const rows = await this.#db('upload')
      .where({ id: this.#id, locked_by: this.#holder })
      .update({ locked_until: this.#leaseEnd() }, ['release_asked']);
    return rows[0]?.release_asked === false;
  }

  #leaseEnd() {
    return this.#db.raw(`clock_timestamp() + interval '${LEASE_SECONDS} seconds'`);
  }
}
