/** Statuses of PanelType, Genome and Pipeline resources in their rows; a Pipeline that was applied gets its row. */

import { randomUUID } from 'node:crypto';
import type { Genome, PanelType, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { importGenome } from '../genomes/applied-genome.ts';
import { importPanelType } from '../panel-types/applied-panel-type.ts';

/** A PanelType that was applied with kubectl has no row yet: it gets one. */
export async function mirrorPanelType(
  db: Knex,
  resource: Stored<PanelType>,
  storageDir: string,
  now: Date,
): Promise<void> {
  if (!(await hasRow(db, 'panel_type', resource.metadata.name))) await importPanelType(db, storageDir, resource, now);
  await writeStatus(db, 'panel_type', resource.metadata.name, resource.status);
}

/** A Genome that was applied with kubectl has no row yet: it gets one. */
export async function mirrorGenome(db: Knex, resource: Stored<Genome>, now: Date): Promise<void> {
  if (!(await hasRow(db, 'genome', resource.metadata.name))) await importGenome(db, resource, now);
  await writeStatus(db, 'genome', resource.metadata.name, resource.status);
}

async function hasRow(db: Knex, table: 'panel_type' | 'genome', name: string): Promise<boolean> {
  return (await db(table).whereRaw("lower(replace(value, '_', '-')) = ?", [name]).first('id')) !== undefined;
}

async function writeStatus(db: Knex, table: 'panel_type' | 'genome', name: string, status: unknown): Promise<void> {
  const value = JSON.stringify(status ?? {});
  await db(table)
    .whereRaw("lower(replace(value, '_', '-')) = ?", [name])
    .whereRaw('status IS DISTINCT FROM ?::jsonb', [value])
    .update({ status: value });
}

/** Applying a Pipeline installs it (DESIGN 4); whether it is active is read from it. The first one is the default. */
export async function mirrorPipeline(db: Knex, resource: Stored<Pipeline>, now: Date): Promise<void> {
  const { name } = resource.metadata;
  const { spec } = resource;
  const status = spec.state === 'Disabled' ? 'disabled' : 'active';
  const conditions = JSON.stringify(resource.status?.conditions ?? []);
  const changed = await db('pipeline').where({ name }).whereNot({ status: 'deleted' }).update({ status, conditions });
  if (changed > 0) return;
  const hasDefault = await db('pipeline').where({ is_default: true }).first('id');
  await db('pipeline')
    .insert({
      id: randomUUID(),
      name,
      display_name: spec.displayName,
      version: spec.version,
      status,
      is_default: !hasDefault,
      conditions,
      spec: JSON.stringify(spec),
      created: now,
    })
    .onConflict()
    .ignore();
}

/** A deleted Pipeline keeps its row as history. */
export async function forgetPipeline(db: Knex, name: string, now: Date): Promise<void> {
  await db('pipeline')
    .where({ name })
    .whereNot({ status: 'deleted' })
    .update({ status: 'deleted', is_default: false, deleted: now });
}
