import { INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import { OPEN_STATUSES } from '@seqpanel/crds/task-status.ts';
import type { Knex } from 'knex';
import { notifyTask } from '../../live/events.ts';
import { enqueueIntent } from '../../outbox/intent.ts';
import { sha256Of } from '../../storage/frozen-files.ts';
import type { IngestTask } from './part.ts';

/** Completes the row when every part is ingested, and queues the patch of the resource in the same transaction. */
export async function completeTask(
  db: Knex,
  task: IngestTask,
  parts: ReadonlyMap<string, string>,
  bytes: number | undefined,
  now: Date,
): Promise<void> {
  const fingerprint = sha256Of(
    [...parts]
      .map(([part, key]) => `${part} ${key}`)
      .sort()
      .join('\n'),
  ).slice(0, 32);
  await db.transaction(async (trx) => {
    const changed = await trx('task')
      .where({ id: task.id })
      .whereIn('status', OPEN_STATUSES)
      .update({
        status: 'completed',
        stage: 'report',
        stage_number: 5,
        reason: null,
        ingested: fingerprint,
        ...(bytes !== undefined && { output_bytes: bytes }),
        finished: trx.raw("coalesce((mirror->>'finished')::timestamptz, ?)", [now]),
      });
    if (changed === 0) return;
    if (!task.vanished) {
      const patch = { metadata: { annotations: { [INGESTED_ANNOTATION]: fingerprint } } };
      const name = task.resource_name ?? task.id;
      await enqueueIntent(trx, { type: 'patch', kind: 'AnalysisTask', name, patch }, now, task.group_id);
    }
    await notifyTask(trx, { task: task.id, group: task.group_id });
  });
}
