/** Creates the row of a Genome applied with kubectl, so that it is listed and panels can use it. */
import { randomUUID } from 'node:crypto';
import type { Genome } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { stateOf } from '../configuration/owned-rows.ts';
import { withTransaction } from '../db/transaction.ts';
import { type GenomeRow, storedGenome } from './genome-object.ts';

/** Actor of changes to resources made outside the api. */
export const KUBECTL = { userId: null, username: 'kubectl' };

type Said = Pick<
  GenomeRow,
  'display_name' | 'active' | 'synthetic' | 'instance_type' | 'file_extensions' | 'source' | 'annotation'
>;

/** Columns derived from the resource. */
export const genomeColumns = (spec: Genome['spec']): Said => ({
  display_name: spec.displayName,
  active: spec.active ?? true,
  synthetic: spec.synthetic ?? false,
  instance_type: spec.instanceType ?? '',
  file_extensions: spec.fileExtensions ?? [],
  source: spec.source as GenomeRow['source'],
  annotation: (spec.annotation ?? []).map(({ source, ...rest }) => ({
    ...rest,
    path: source.path ?? source.url ?? '',
  })) as GenomeRow['annotation'],
});

/** Does nothing if a row has this value or display name. The resource's conditions report duplicates. */
export async function importGenome(db: Knex, resource: Stored<Genome>, now: Date): Promise<void> {
  const { spec, status } = resource;
  const row: GenomeRow = {
    id: randomUUID(),
    value: spec.value,
    ...genomeColumns(spec),
    status: (status ?? {}) as GenomeRow['status'],
    created: now,
    modified: now,
  };
  await withTransaction(db, async (trx) => {
    const inserted = await trx('genome')
      .insert({ ...storedGenome(row), ...stateOf(resource) })
      .onConflict()
      .ignore()
      .returning('id');
    if (inserted.length === 0) return;
    const entry = { actor: KUBECTL, resourceType: 'genome', resourceId: row.id, resource: row.value } as const;
    const changes = changesOfNew({ value: row.value, display_name: row.display_name, source: row.source });
    await writeAudit(trx, { ...entry, action: 'create', changes }, now);
  });
}
