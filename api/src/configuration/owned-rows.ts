/**
 * Rows of the configuration and the uid and generation of the resource state that each equals. The api recognizes its
 * own writes by the API server's answers to them.
 */

import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';

export type OwnedKind = 'PanelType' | 'Genome' | 'Pipeline';

export interface OwnedState {
  id: string;
  /** Null until a resource of the row was seen. */
  uid: string | null;
  generation: number | null;
}

const TABLES: Readonly<Record<OwnedKind, 'panel_type' | 'genome' | 'pipeline'>> = {
  PanelType: 'panel_type',
  Genome: 'genome',
  Pipeline: 'pipeline',
};

export const isOwnedKind = (kind: string | undefined): kind is OwnedKind =>
  kind !== undefined && Object.hasOwn(TABLES, kind);

/** Finds the row of a resource's name. Skips rows of deleted pipelines, which are history. */
export function rowOf(db: Knex | Knex.Transaction, kind: OwnedKind, name: string): Knex.QueryBuilder {
  if (kind === 'Pipeline') return db('pipeline').where({ name }).whereNot({ status: 'deleted' });
  return db(TABLES[kind]).whereRaw("lower(replace(value, '_', '-')) = ?", [name]);
}

export async function readOwned(db: Knex, kind: string, name: string): Promise<OwnedState | undefined> {
  if (!isOwnedKind(kind)) return undefined;
  return await rowOf(db, kind, name).first('id', 'resource_uid as uid', 'resource_generation as generation');
}

/** Columns that record which state of the resource a row equals. */
export const stateOf = ({ metadata }: Stored<KubeObject>) => ({
  resource_uid: metadata.uid,
  resource_generation: metadata.generation ?? 0,
  resource_version: metadata.resourceVersion,
  resource_deleted: null,
});

/** Returns the row as a save writes it, without the recorded resource state. */
export function withoutState<T extends object>(row: T): T {
  const columns = { ...row } as Record<string, unknown>;
  for (const name of ['resource_uid', 'resource_generation', 'resource_version', 'resource_deleted'])
    delete columns[name];
  return columns as T;
}

/** Records that the row equals what the API server stored. */
export async function recordApplied(trx: Knex.Transaction, object: Stored<KubeObject>): Promise<void> {
  if (isOwnedKind(object.kind)) await rowOf(trx, object.kind, object.metadata.name).update(stateOf(object));
}

/** Whether a console change is on its way to the resource. Until it arrives, the row is ahead. */
export async function isAhead(db: Knex, kind: OwnedKind, name: string): Promise<boolean> {
  return (
    (await db('outbox')
      .where({ object: `${kind}/${name}`, state: 'pending' })
      .first('id')) !== undefined
  );
}
