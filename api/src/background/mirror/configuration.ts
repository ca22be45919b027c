/**
 * Mirrors PanelType, Genome and Pipeline resources to their rows: the spec of each, and the status of the first two.
 */

import type { Genome, PanelType, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import { rowOf } from '../../configuration/owned-rows.ts';
import { type FollowDeps, type FollowResult, followResource } from './follow-resource.ts';
import { genomes, panelTypes, pipelines } from './followed-kinds.ts';

export async function mirrorPanelType(
  deps: FollowDeps,
  storageDir: string,
  resource: Stored<PanelType>,
): Promise<FollowResult> {
  const result = await followResource(deps, panelTypes(deps, storageDir), resource);
  if (result === 'done') await writeStatus(deps, 'PanelType', resource);
  return result;
}

export async function mirrorGenome(deps: FollowDeps, resource: Stored<Genome>): Promise<FollowResult> {
  const result = await followResource(deps, genomes(deps), resource);
  if (result === 'done') await writeStatus(deps, 'Genome', resource);
  return result;
}

export async function mirrorPipeline(deps: FollowDeps, resource: Stored<Pipeline>): Promise<FollowResult> {
  const result = await followResource(deps, pipelines(deps), resource);
  const { name, uid } = resource.metadata;
  const conditions = JSON.stringify(resource.status?.conditions ?? []);
  if (result === 'done')
    await rowOf(deps.db, 'Pipeline', name)
      .where({ resource_uid: uid })
      .whereRaw('conditions IS DISTINCT FROM ?::jsonb', [conditions])
      .update({ conditions });
  return result;
}

/** Skips a status of an earlier generation, because it says nothing about the row. */
async function writeStatus(
  { db }: FollowDeps,
  kind: 'PanelType' | 'Genome',
  { metadata, status }: Stored<KubeObject & { status?: { observedGeneration?: number } }>,
): Promise<void> {
  const { observedGeneration } = status ?? {};
  if (observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0)) return;
  const value = JSON.stringify(status ?? {});
  await rowOf(db, kind, metadata.name)
    .whereNull('resource_deleted')
    .where((same) => same.whereNull('resource_uid').orWhere({ resource_uid: metadata.uid ?? null }))
    .whereRaw('status IS DISTINCT FROM ?::jsonb', [value])
    .update({ status: value });
}
