import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { Conflict } from '../errors.ts';
import { notifyJob } from '../live/events.ts';
import type { JobPayload } from './job-kind.ts';

/** LISTEN channel that wakes the runners. */
export const JOBS_CHANNEL = 'seqpanel_jobs';

export interface NewJob {
  kind: string;
  /** Null for work on the installation, which staff follow. */
  group: string | null;
  /** Object that it works on: a second open job of the same kind for it is refused. */
  subject?: string;
  username: string;
  payload?: JobPayload;
}

/** Adds the job, which starts after the transaction commits. Throws Conflict `job_is_running`. Returns its id. */
export async function startJob(trx: Knex.Transaction, job: NewJob, now: Date): Promise<string> {
  const [row] = await trx('job')
    .insert({
      id: randomUUID(),
      kind: job.kind,
      group_id: job.group,
      subject: job.subject ?? null,
      username: job.username,
      payload: JSON.stringify(job.payload ?? {}),
      created: now,
    })
    .onConflict(trx.raw("(kind, subject) WHERE state IN ('queued', 'running') AND subject IS NOT NULL"))
    .ignore()
    .returning('id');
  if (!row) throw new Conflict('job_is_running');
  await notifyJob(trx, { job: row.id, group: job.group });
  await trx.raw('SELECT pg_notify(?, ?)', [JOBS_CHANNEL, '']);
  return row.id;
}
