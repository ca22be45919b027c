import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import type { JobTable } from '../db/tables/background.ts';
import { Conflict, NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { notifyJob } from '../live/events.ts';
import { JOBS_CHANNEL } from './start-job.ts';

type Job = AnswerOf<'getJob'>;

/** Jobs of a group, or of the installation and all groups when `group` is undefined. Newest first. */
export async function listJobs(
  db: Knex,
  group: string | undefined,
  query: PageQuery & { subject?: string; state?: string; kind?: string },
): Promise<{ count: number; results: Job[] }> {
  const rows = db('job');
  if (group !== undefined) rows.where({ group_id: group });
  if (query.subject !== undefined) rows.where({ subject: query.subject });
  if (query.kind !== undefined) rows.where({ kind: query.kind });
  if (query.state !== undefined) rows.whereIn('state', query.state.split(','));
  const page = await pageOf<JobTable>(rows, query, (found) =>
    found.select('*').orderBy('created', 'desc').orderBy('id'),
  );
  return { count: page.count, results: page.results.map(jobOf) };
}

/** Throws NotFound, also for a job of another group. */
export async function readJob(db: Knex, group: string | undefined, id: string): Promise<Job> {
  return jobOf(await rowOf(db, group, id));
}

/** Asks the process that works on it to stop. Throws NotFound, and Conflict when the job has ended. */
export async function cancelJob(db: Knex, group: string | undefined, id: string, now: Date): Promise<Job> {
  return await db.transaction(async (trx) => {
    const row = await rowOf(trx, group, id);
    const open = trx('job').where({ id }).whereIn('state', ['queued', 'running']);
    const waiting = await open
      .clone()
      .where({ state: 'queued', leased_by: null })
      .update({ state: 'canceled', finished: now });
    if (waiting === 0 && (await open.update({ cancel_requested: true })) === 0) throw new Conflict('job_has_ended');
    await notifyJob(trx, { job: id, group: row.group_id });
    await trx.raw('SELECT pg_notify(?, ?)', [JOBS_CHANNEL, '']);
    return jobOf(await rowOf(trx, group, id));
  });
}

async function rowOf(db: Knex, group: string | undefined, id: string): Promise<JobTable> {
  const row = await db('job')
    .where({ id, ...(group !== undefined && { group_id: group }) })
    .first();
  if (!row) throw new NotFound();
  return row;
}

function jobOf(row: JobTable): Job {
  const { id, kind, subject, username, state, error, result } = row;
  return {
    ...{ id, kind, subject, state, error, result },
    group: row.group_id,
    user: username,
    done: Number(row.done),
    total: row.total === null ? null : Number(row.total),
    created: row.created.toISOString(),
    finished: row.finished?.toISOString() ?? null,
  };
}
