/**
 * Periodic work that one of the replicas does. A lease selects the replica and expires when its process dies. Lease
 * times use the clock of Postgres, which all replicas share.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

export interface PeriodicWork {
  name: string;
  /** Seconds between its end and its next start. */
  everySeconds: number;
  /** Must exceed the duration of the work, because another process may start it afterwards. */
  leaseSeconds: number;
  work: () => Promise<unknown>;
}

/** Returns true when this process did the work. Work that throws is due again at once. */
export async function doWhenDue(db: Knex, { name, everySeconds, leaseSeconds, work }: PeriodicWork): Promise<boolean> {
  const lease = randomUUID();
  await db('periodic_work').insert({ name }).onConflict('name').ignore();
  const taken = await db('periodic_work')
    .where({ name })
    .whereRaw('(done IS NULL OR done <= now() - make_interval(secs => ?))', [everySeconds])
    .whereRaw('(leased_until IS NULL OR leased_until <= now())')
    .update({ leased_by: lease, leased_until: db.raw('now() + make_interval(secs => ?)', [leaseSeconds]) });
  if (taken === 0) return false;
  const end = (values: object) =>
    db('periodic_work')
      .where({ name, leased_by: lease })
      .update({ ...values, leased_by: null, leased_until: null });
  try {
    await work();
  } catch (error) {
    await end({});
    throw error;
  }
  await end({ done: db.raw('now()') });
  return true;
}
