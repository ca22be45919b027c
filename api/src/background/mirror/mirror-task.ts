/**
 * Writes the status of one AnalysisTask to its row, never an older one over a newer one. Creates the row of a task made
 * with kubectl.
 */

import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isObjectId } from '@seqpanel/crds/object-ids.ts';
import { failedIndexes } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { writeAudit } from '../../audit/write-audit.ts';
import { KUBECTL } from '../../genomes/applied-genome.ts';
import { notifyTask } from '../../live/events.ts';
import { writeStepAttempts } from '../../task-results/step-attempts.ts';
import { ENDED_SQL } from '../../tasks/status-sql.ts';
import { wantIngest } from '../ingest/turns.ts';
import { type CachedTask, ownershipOf, type TaskIdentity } from './cached-task.ts';
import { adoptExternalTask } from './external-task.ts';
import { projectStatus } from './project-status.ts';

/** `foreign`: the row of this name belongs to another resource and was not changed. */
export type Mirrored = 'written' | 'unchanged' | 'foreign';

/** `whole` reads the resource with its spec. Called when the task has no row. */
export async function mirrorTask(
  db: Knex,
  task: CachedTask,
  now: Date,
  whole: () => Promise<Stored<AnalysisTask> | undefined>,
): Promise<Mirrored> {
  const { status } = task;
  const columns = projectStatus(status, task.samples);
  if (!(await readIdentity(db, task))) {
    const found = await whole();
    // The resource was deleted, or recreated meanwhile; another event reports that.
    if (found?.metadata.uid !== task.metadata.uid) return 'unchanged';
    await db.transaction((trx) => adoptExternalTask(trx, found, now));
  }
  return await db.transaction(async (trx) => {
    const row = await readIdentity(trx, task);
    if (!row) return 'unchanged';
    const claim = ownershipOf(row, task);
    if (claim === 'foreign') {
      await reportForeign(trx, row, task, now);
      return 'foreign';
    }
    if (claim === 'again') await trx('task').where({ id: row.id }).update({ revision: -1, vanished: false });
    const { rows } = await trx.raw<{ rows: { group_id: string | null; open: boolean }[] }>(
      `UPDATE task SET status = CASE WHEN status IN ${ENDED_SQL} THEN status ELSE :status END,
         finished = CASE WHEN status IN ${ENDED_SQL} THEN finished ELSE :finished END,
         phase = :phase, revision = :revision, stage = :stage, stage_number = :stage_number, attempt = :attempt,
         reason = :reason, started = :started, samples_total = :samples_total, samples_done = :samples_done,
         samples_failed = :samples_failed, samples_incomplete = :samples_incomplete, mirror = :mirror, uid = :uid
       WHERE id = :id AND revision < :revision
       RETURNING group_id, ingested IS NULL AND partial_ingested IS NULL AS open`,
      { ...columns, id: row.id, uid: task.metadata.uid, mirror: JSON.stringify(status) } as unknown as Knex.ValueDict,
    );
    const [changed] = rows;
    if (!changed) return 'unchanged';
    await writeFailures(trx, row.id, status);
    await writeStepAttempts(trx, row.id, status, now);
    if (changed.open) await wantIngest(trx, row.id, now, isOver(status.phase));
    await notifyTask(trx, { task: row.id, group: changed.group_id });
    return 'written';
  });
}

/** Returns the uids of tasks whose rows have this status or a later one and need no write. */
export async function tasksUpToDate(db: Knex, tasks: readonly CachedTask[]): Promise<Set<string>> {
  const rows = await db('task')
    .whereIn(
      'uid',
      tasks.map(({ metadata }) => metadata.uid).filter((uid) => isObjectId(uid)),
    )
    .select('uid', 'revision');
  const revisions = new Map<string | null, number>(rows.map(({ uid, revision }) => [uid, revision]));
  return new Set(
    tasks
      .filter(({ metadata, status }) => (revisions.get(metadata.uid) ?? -1) >= (status.revision ?? 0))
      .map(({ metadata }) => metadata.uid),
  );
}

type Row = TaskIdentity & { id: string; name: string };

/** Finds the row of a resource: by its name as the id, or by its uid. */
async function readIdentity(db: Knex, { metadata }: CachedTask): Promise<Row | undefined> {
  const { name, uid } = metadata;
  return await db('task')
    .where(isObjectId(name) ? { id: name } : { id: uid, resource_name: name })
    .first('id', 'name', 'uid', 'status', 'external', 'launch_hash');
}

const isOver = (phase: AnalysisTaskStatus['phase']): boolean =>
  phase === 'Completed' || phase === 'Failed' || phase === 'Aborted';

/** Writes one audit entry per foreign resource. */
async function reportForeign(trx: Knex.Transaction, row: Row, { metadata }: CachedTask, now: Date): Promise<void> {
  const changed = await trx('task')
    .where({ id: row.id })
    .whereRaw('foreign_uid IS DISTINCT FROM ?', [metadata.uid])
    .update({ foreign_uid: metadata.uid });
  if (changed === 0) return;
  const changes = [{ field: 'resource_uid', from: row.uid, to: metadata.uid }];
  const entry = { actor: KUBECTL, resourceType: 'task', resourceId: row.id, resource: row.name } as const;
  await writeAudit(trx, { ...entry, action: 'update', changes }, now);
}

/** Records samples that failed permanently. The status gives the cause of the first twenty. */
async function writeFailures(trx: Knex.Transaction, taskId: string, status: AnalysisTaskStatus): Promise<void> {
  const failed = failedIndexes(status);
  if (failed.length === 0) return;
  const causes = new Map(
    (status.failures ?? []).flatMap((failure) => (failure.sample ? [[failure.sample, failure] as const] : [])),
  );
  const rows = await trx('task_sample')
    .where({ task_id: taskId })
    .whereIn('idx', failed)
    .whereNull('failure')
    .select('idx', 'name');
  for (const { idx, name } of rows) {
    const failure = causes.get(name) ?? { step: null, code: null, message: '' };
    await trx('task_sample')
      .where({ task_id: taskId, idx })
      .update({ failure: JSON.stringify(failure) });
  }
}
