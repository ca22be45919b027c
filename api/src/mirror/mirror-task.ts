/** Writes one AnalysisTask's status to its row, never backwards; makes the row of a task that kubectl made. */

import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { tellTask } from '../live/events.ts';
import { writeStepAttempts } from '../task-results/step-attempts.ts';
import { failedIndexes, projectStatus } from './project-status.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True when the row changed. A task whose name is no UUID cannot have a row (ids are UUIDs) and is left alone. */
export async function mirrorTask(db: Knex, task: Stored<AnalysisTask>, now: Date): Promise<boolean> {
  const id = task.metadata.name;
  if (!UUID.test(id)) return false;
  const status = (task.status ?? {}) as AnalysisTaskStatus;
  const columns = projectStatus(status, task.spec.samples.length);
  return await db.transaction(async (trx) => {
    await makeExternal(trx, task, now);
    const { rows } = await trx.raw<{ rows: { group_id: string | null }[] }>(
      `UPDATE task SET status = CASE WHEN status IN ('completed', 'failed', 'aborted') THEN status ELSE :status END,
         finished = CASE WHEN status IN ('completed', 'failed', 'aborted') THEN finished ELSE :finished END,
         phase = :phase, revision = :revision, stage = :stage, stage_number = :stage_number, attempt = :attempt,
         reason = :reason, started = :started, samples_total = :samples_total, samples_done = :samples_done,
         samples_failed = :samples_failed, samples_incomplete = :samples_incomplete, mirror = :mirror, uid = :uid
       WHERE id = :id AND revision < :revision RETURNING group_id`,
      { ...columns, id, uid: task.metadata.uid, mirror: JSON.stringify(status) } as unknown as Knex.ValueDict,
    );
    const row = rows[0];
    if (!row) return false;
    await writeFailures(trx, id, status);
    await writeStepAttempts(trx, id, status, now);
    await tellTask(trx, { task: id, group: row.group_id });
    return true;
  });
}

async function makeExternal(trx: Knex.Transaction, task: Stored<AnalysisTask>, now: Date): Promise<void> {
  const { name: id, creationTimestamp } = task.metadata;
  if (await trx('task').where({ id }).first('id')) return;
  const { spec } = task;
  const uuid = (value: string | undefined): string | null => (value && UUID.test(value) ? value : null);
  const panel = await trx('panel_type')
    .whereRaw("lower(replace(value, '_', '-')) = ?", [spec.panelType.name])
    .first('id', 'value', 'display_name', 'panel');
  const inserted = await trx('task')
    .insert({
      id,
      group_id: uuid(spec.group),
      project_id: uuid(spec.project),
      name: spec.name,
      username: spec.requestedBy ?? null,
      panel_type_id: panel?.id ?? null,
      panel_value: panel?.value ?? spec.panelType.name,
      panel_name: panel?.display_name ?? spec.panelType.name,
      panel_sha256: spec.panelType.sha256,
      synthetic: panel?.panel?.synthetic ?? false,
      analysis_types: JSON.stringify(panel?.panel?.analysisTypes ?? []),
      preset_id: uuid(spec.preset.id),
      preset_name: spec.preset.name,
      preset_version: spec.preset.version ?? null,
      preset_sha256: spec.preset.sha256,
      pipeline_name: spec.pipeline.name,
      pipeline_version: spec.pipeline.version,
      genome: spec.genome ?? '',
      source: spec.source,
      notify: JSON.stringify(spec.notify ?? []),
      spec: JSON.stringify(spec),
      created: new Date(creationTimestamp ?? now),
      status: 'queued',
      external: true,
      samples_total: spec.samples.length,
    })
    .onConflict('id')
    .ignore()
    .returning('id');
  if (inserted.length === 0) return;
  const pairOf = (name: string): string | null =>
    (spec.pairs ?? [])
      .filter(({ tumor, normal }) => tumor === name || normal === name)
      .map((pair) => pair.name)
      .join(',') || null;
  const samples = spec.samples.map((sample, idx) => ({
    task_id: id,
    idx,
    name: sample.name,
    library_id: sample.libraryId,
    qc_type: sample.qcType ?? 'Sample',
    role: sample.role ?? 'germline',
    cnv_normal: sample.cnvNormal ?? false,
    tumor_content: sample.tumorContent ?? null,
    well: sample.well ?? null,
    i7: sample.i7 ?? null,
    i5: sample.i5 ?? null,
    pair: pairOf(sample.name),
    files: JSON.stringify(sample.files),
  }));
  await trx.batchInsert('task_sample', samples, 200);
}

/** Samples that failed for good; the status tells why of the first twenty. */
async function writeFailures(trx: Knex.Transaction, taskId: string, status: AnalysisTaskStatus): Promise<void> {
  const failed = failedIndexes(status);
  if (failed.length === 0) return;
  const told = new Map(
    (status.failures ?? []).flatMap((failure) => (failure.sample ? [[failure.sample, failure] as const] : [])),
  );
  const rows = await trx('task_sample')
    .where({ task_id: taskId })
    .whereIn('idx', failed)
    .whereNull('failure')
    .select('idx', 'name');
  for (const { idx, name } of rows) {
    const failure = told.get(name) ?? { step: null, code: null, message: '' };
    await trx('task_sample')
      .where({ task_id: taskId, idx })
      .update({ failure: JSON.stringify(failure) });
  }
}
