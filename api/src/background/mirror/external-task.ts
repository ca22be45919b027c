/**
 * Creates the row of a task made with kubectl. Its group, project and user are accepted only if they exist and belong
 * together, because anyone who may create the resource can write anything there. A task without a group is visible to
 * staff only.
 */

import type { AnalysisTask } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isObjectId } from '@seqpanel/crds/object-ids.ts';
import { fromSpecSample } from '@seqpanel/crds/sample.ts';
import type { Knex } from 'knex';
import { insertSamples } from '../../launch/sample-row.ts';

/** Returns the id of an external task: its name if that can be an id, else the uid of its resource. */
export const idOfExternal = ({ name, uid }: { name: string; uid: string }): string => (isObjectId(name) ? name : uid);

interface VerifiedClaims {
  group: string | null;
  project: string | null;
  user: { id: string; username: string } | null;
}

async function verifyClaims(
  trx: Knex.Transaction,
  { group, project, requestedBy }: AnalysisTask['spec'],
): Promise<VerifiedClaims> {
  const unclaimed = { group: null, project: null, user: null };
  if (!isObjectId(group) || !(await trx('user_group').where({ id: group }).first('id'))) return unclaimed;
  const own = isObjectId(project) && (await trx('project').where({ id: project, group_id: group }).first('id'));
  const user: VerifiedClaims['user'] | undefined = requestedBy
    ? await trx('app_user as u')
        .join('membership as m', 'm.user_id', 'u.id')
        .where({ 'm.group_id': group })
        .whereRaw('lower(u.username) = lower(?)', [requestedBy])
        .first('u.id', 'u.username')
    : undefined;
  return { group, project: own ? own.id : null, user: user ?? null };
}

/** Returns the row's id. Does nothing when another replica created the row. */
export async function adoptExternalTask(trx: Knex.Transaction, task: Stored<AnalysisTask>, now: Date): Promise<string> {
  const { name, creationTimestamp } = task.metadata;
  const id = idOfExternal(task.metadata);
  const { spec } = task;
  const claimed = await verifyClaims(trx, spec);
  const panel = await trx('panel_type')
    .whereRaw("lower(replace(value, '_', '-')) = ?", [spec.panelType.name])
    .first('id', 'value', 'display_name', 'panel');
  const inserted = await trx('task')
    .insert({
      id,
      resource_name: id === name ? null : name,
      uid: task.metadata.uid,
      group_id: claimed.group,
      project_id: claimed.project,
      name: spec.name,
      user_id: claimed.user?.id ?? null,
      username: claimed.user?.username ?? null,
      panel_type_id: panel?.id ?? null,
      panel_value: panel?.value ?? spec.panelType.name,
      panel_name: panel?.display_name ?? spec.panelType.name,
      panel_sha256: spec.panelType.sha256,
      synthetic: panel?.panel?.synthetic ?? false,
      analysis_types: JSON.stringify(panel?.panel?.analysisTypes ?? []),
      preset_id: isObjectId(spec.preset.id) ? spec.preset.id : null,
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
  if (inserted.length > 0) {
    const samples = spec.samples.map((sample) => fromSpecSample(sample, spec.pairs));
    await insertSamples(trx, id, samples);
  }
  return id;
}
