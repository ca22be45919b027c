/** Stores a launch once per idempotency key: its tasks, their samples, intents and audit entries in one transaction. */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict } from '../errors.ts';
import type { ReadSettings } from '../settings/read.ts';
import { insertTask, type NewTask } from './insert-task.ts';
import { checkOpenTasks } from './open-tasks.ts';

/** Identifies a launch. `hash` is of the request, to detect a key that is reused for another request. */
export interface LaunchIdentity {
  groupId: string;
  userId: string;
  key: string;
  hash: string;
}

export interface Launched {
  launchId: string;
  taskIds: string[];
}

/** Returns the launch made by an earlier call with the same key. Throws Conflict when that was another request. */
export async function findLaunch(
  db: Knex,
  { groupId, userId, key, hash }: LaunchIdentity,
): Promise<Launched | undefined> {
  const row = await db('launch').where({ group_id: groupId, user_id: userId, key }).first();
  if (!row) return undefined;
  if (row.request_hash !== hash) throw new Conflict('idempotency_key_reused');
  const tasks = await db('task').where({ launch_id: row.id }).orderBy('name').select('id');
  return { launchId: row.id, taskIds: tasks.map(({ id }) => id) };
}

export async function storeLaunch(
  { db, settings, now }: { db: Knex; settings: ReadSettings; now: () => Date },
  identity: LaunchIdentity,
  tasks: readonly NewTask[],
): Promise<Launched> {
  const launchId = randomUUID();
  try {
    await withTransaction(db, async (trx) => {
      await trx('launch').insert({
        id: launchId,
        group_id: identity.groupId,
        user_id: identity.userId,
        key: identity.key,
        request_hash: identity.hash,
        created: now(),
      });
      await checkOpenTasks(trx, settings, identity.groupId, tasks.length);
      for (const task of tasks) {
        await insertTask(trx, { ...task, launchId }, now());
        await auditLaunch(trx, task, now());
      }
    });
  } catch (error) {
    // The same call arrived twice at once, and the other one made the tasks.
    const other = violatedConstraint(error) === 'launch_key' && (await findLaunch(db, identity));
    if (other) return other;
    throw error;
  }
  return { launchId, taskIds: tasks.map(({ id }) => id) };
}

async function auditLaunch(trx: Knex.Transaction, task: NewTask, now: Date): Promise<void> {
  const { id, actor, frozen } = task;
  const changes = changesOfNew({ panel: task.panel.value, preset: task.preset.name, samples: frozen.samples.length });
  const entry = { resourceType: 'task', resourceId: id, resource: frozen.spec.name, action: 'create' } as const;
  await writeAudit(trx, { actor, ...entry, changes }, now);
}
