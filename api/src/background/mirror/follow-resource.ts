/**
 * Keeps the rows of PanelType, Genome and Pipeline equal to their resources: the resource wins, by its generation, with
 * an entry in the audit log (docs/adr/0067). A row that the console just changed is ahead of its resource until the
 * outbox has applied the change.
 */

import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { changesBetween, writeAudit } from '../../audit/write-audit.ts';
import { isAhead, type OwnedKind, readOwned, rowOf, stateOf } from '../../configuration/owned-rows.ts';
import { KUBECTL } from '../../genomes/applied-genome.ts';

/** A row as read from the database. */
export type Columns = Record<string, unknown>;

export interface Followed<T extends KubeObject> {
  kind: OwnedKind;
  resourceType: 'panel_type' | 'genome' | 'pipeline';
  /** Creates the row and the audit entry of a resource that has none. Does nothing if the name is in use. */
  add(resource: Stored<T>): Promise<void>;
  /** Columns derived from the resource. `row` is the current row. */
  columnsOf(resource: Stored<T>, row: Columns): Promise<Columns>;
  /** Columns of the row that the audit log shows. */
  audited(row: Columns): Columns;
  /** Columns that end the row of a deleted resource. */
  ended(now: Date): Columns;
  /** Converts columns to database values. */
  stored(columns: Columns): Columns;
  /** Name of the row in the audit log. */
  nameOf(row: Columns): string;
}

export interface FollowDeps {
  db: Knex;
  now: () => Date;
  /** Reads the current resource. Returns undefined when it was deleted. */
  read: (kind: OwnedKind, name: string) => Promise<Stored<KubeObject> | undefined>;
}

/** `later`: the row is ahead of the resource. */
export type FollowResult = 'done' | 'later';

export async function followResource<T extends KubeObject>(
  deps: FollowDeps,
  followed: Followed<T>,
  resource: Stored<T>,
): Promise<FollowResult> {
  const { kind } = followed;
  const { name, uid, generation = 0 } = resource.metadata;
  if (await isAhead(deps.db, kind, name)) return 'later';
  const before = await readOwned(deps.db, kind, name);
  if (!before) {
    // The event may be late. Do not create a row for a resource that the console has since deleted.
    if ((await deps.read(kind, name))?.metadata.uid !== uid) return 'done';
    await followed.add(resource);
  }
  const row = before ?? (await readOwned(deps.db, kind, name));
  // Another row has this display name; the resource's conditions report it.
  if (!row) return 'done';
  if (row.uid === uid && row.generation !== null && row.generation >= generation) return 'done';
  // An object of this name was deleted and created again, and this event may be of the older one.
  if (row.uid !== null && row.uid !== uid && (await deps.read(kind, name))?.metadata.uid !== uid) return 'done';
  return await adopt(deps, followed, resource);
}

async function adopt<T extends KubeObject>(
  { db, now }: FollowDeps,
  followed: Followed<T>,
  resource: Stored<T>,
): Promise<FollowResult> {
  const { kind, resourceType } = followed;
  const { name } = resource.metadata;
  const seen = await rowOf(db, kind, name).first('*');
  if (!seen) return 'done';
  // Reads files, therefore outside of the transaction.
  const columns = await followed.columnsOf(resource, seen);
  return await db.transaction(async (trx) => {
    const row = await rowOf(trx, kind, name).forUpdate().first('*');
    if (!row) return 'done';
    if (await isAhead(trx, kind, name)) return 'later';
    const after: Columns = { ...row, ...columns };
    if (after['is_default'] && !row.is_default)
      await trx(resourceType).where({ is_default: true }).update({ is_default: false });
    const taken =
      resourceType !== 'pipeline' &&
      (await trx(resourceType)
        .whereRaw('lower(display_name) = lower(?)', [String(after['display_name'])])
        .whereNot({ id: row.id })
        .first('id'));
    // The other row keeps the display name; the resource's conditions report the duplicate.
    if (taken) after['display_name'] = columns['display_name'] = row.display_name;
    const changes = differing(followed.audited(row), followed.audited(after));
    const isChanged = changes.length > 0 && resourceType !== 'pipeline';
    await trx(resourceType)
      .where({ id: row.id })
      .update({ ...followed.stored(columns), ...stateOf(resource), ...(isChanged && { modified: now() }) });
    const entry = { actor: KUBECTL, resourceType, resourceId: row.id, resource: followed.nameOf(row) };
    await writeAudit(trx, { ...entry, action: 'update', changes }, now());
    return 'done';
  });
}

/** Like changesBetween, but ignores the order of keys, because Postgres orders the keys of jsonb itself. */
const differing = (before: Columns, after: Columns) =>
  changesBetween(before, after).filter(({ from, to }) => !isDeepStrictEqual(from, to));

/** Ends the row of a deleted resource and keeps it as history. Asks the cluster, because the event may be late. */
export async function endRow<T extends KubeObject>(
  { db, now, read }: FollowDeps,
  followed: Pick<Followed<T>, 'kind' | 'resourceType' | 'ended' | 'audited' | 'stored' | 'nameOf'>,
  name: string,
): Promise<FollowResult> {
  const { kind, resourceType } = followed;
  if (!(await readOwned(db, kind, name))?.uid) return 'done';
  if (await isAhead(db, kind, name)) return 'later';
  if (await read(kind, name)) return 'done';
  return await db.transaction(async (trx) => {
    const row = await rowOf(trx, kind, name).forUpdate().first('*');
    if (!row?.resource_uid) return 'done';
    if (await isAhead(trx, kind, name)) return 'later';
    const columns = followed.ended(now());
    const gone = { resource_uid: null, resource_generation: null, resource_version: null, resource_deleted: now() };
    await trx(resourceType)
      .where({ id: row.id })
      .update({ ...followed.stored(columns), ...gone });
    const changes = differing(followed.audited(row), followed.audited({ ...row, ...columns }));
    const entry = { actor: KUBECTL, resourceType, resourceId: row.id, resource: followed.nameOf(row) };
    await writeAudit(trx, { ...entry, action: 'delete', changes }, now());
    return 'done';
  });
}

/** Names of resources that have a row and are no longer in the cache. */
export async function endedNames(db: Knex, kind: OwnedKind, known: ReadonlySet<string>): Promise<string[]> {
  const nameOf = kind === 'Pipeline' ? 'name' : "lower(replace(value, '_', '-'))";
  const table = kind === 'Pipeline' ? 'pipeline' : kind === 'Genome' ? 'genome' : 'panel_type';
  const rows: { name: string }[] = await db(table)
    .whereNotNull('resource_uid')
    .modify((query) => kind === 'Pipeline' && void query.whereNot({ status: 'deleted' }))
    .select(db.raw(`${nameOf} AS name`));
  return rows.map(({ name }) => name).filter((name) => !known.has(name));
}
