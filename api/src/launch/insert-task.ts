/** Writes a task: its row, its samples, its frozen files and the intent to create its resource. */

import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Knex } from 'knex';
import type { Actor } from '../audit/write-audit.ts';
import { notifyTask } from '../live/events.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { type FrozenIndex, keepFrozen, sha256Of } from '../storage/frozen-files.ts';
import type { Definition } from './definition.ts';
import type { Frozen } from './freeze.ts';
import { insertSamples } from './sample-row.ts';

export interface NewTask {
  id: string;
  groupId: string;
  projectId: string | null;
  actor: Actor & { userId: string };
  panel: {
    id: string | null;
    value: string;
    name: string;
    file: Pick<PanelFile, 'synthetic' | 'analysisTypes'> | null;
  };
  preset: { id: string | null; name: string; version: number | null };
  definition: Definition;
  /** `files` is empty for a rerun, which shares those of the earlier task. */
  frozen: Pick<Frozen, 'spec' | 'samples'> & { files?: Frozen['files']; index?: FrozenIndex };
  notes: string;
  rerunOf: string | null;
}

export async function insertTask(
  trx: Knex.Transaction,
  task: NewTask & { launchId: string },
  now: Date,
): Promise<void> {
  const { spec, samples } = task.frozen;
  const index = task.frozen.index ?? (await keepFrozen(trx, task.frozen.files ?? []));
  await trx('task').insert({
    id: task.id,
    launch_id: task.launchId,
    group_id: task.groupId,
    project_id: task.projectId,
    rerun_of: task.rerunOf,
    name: spec.name,
    user_id: task.actor.userId,
    username: task.actor.username,
    panel_type_id: task.panel.id,
    panel_value: task.panel.value,
    panel_name: task.panel.name,
    panel_sha256: spec.panelType.sha256,
    synthetic: task.panel.file?.synthetic ?? false,
    analysis_types: JSON.stringify(task.panel.file?.analysisTypes ?? []),
    preset_id: task.preset.id,
    preset_name: task.preset.name,
    preset_version: task.preset.version,
    preset_sha256: spec.preset.sha256,
    pipeline_name: spec.pipeline.name,
    pipeline_version: spec.pipeline.version,
    genome: spec.genome ?? '',
    source: spec.source,
    notify: JSON.stringify(spec.notify ?? []),
    notes: task.notes,
    definition: JSON.stringify(task.definition),
    spec: JSON.stringify(spec),
    frozen: JSON.stringify(index),
    // Includes the task's id, so that two launches of one definition differ.
    launch_hash: sha256Of(JSON.stringify([task.id, spec])),
    created: now,
    status: 'queued',
    request_id: task.actor.requestId ?? null,
    traceparent: task.actor.traceparent ?? null,
    samples_total: samples.length,
  });
  await insertSamples(trx, task.id, samples);
  const { requestId, traceparent } = task.actor;
  const correlation = { ...(requestId && { requestId }), ...(traceparent && { traceparent }) };
  await enqueueIntent(trx, { type: 'launch', task: task.id, correlation }, now, task.groupId);
  await notifyTask(trx, { task: task.id, group: task.groupId });
}
