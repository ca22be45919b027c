/** Creates the row of a Pipeline applied with kubectl, which installs it. The first one becomes the default. */
import { randomUUID } from 'node:crypto';
import type { Pipeline } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { stateOf } from '../configuration/owned-rows.ts';
import type { PipelineRow } from '../db/tables/configuration.ts';
import { withTransaction } from '../db/transaction.ts';
import { KUBECTL } from '../genomes/applied-genome.ts';

type Said = Pick<PipelineRow, 'display_name' | 'version' | 'status' | 'spec'>;

/** Columns derived from the resource. */
export const pipelineColumns = (spec: Pipeline['spec']): Said => ({
  display_name: spec.displayName,
  version: spec.version,
  status: spec.state === 'Disabled' ? 'disabled' : 'active',
  spec,
});

export async function importPipeline(db: Knex, resource: Stored<Pipeline>, now: Date): Promise<void> {
  const { name } = resource.metadata;
  const { spec, ...columns } = pipelineColumns(resource.spec);
  await withTransaction(db, async (trx) => {
    const hasDefault = await trx('pipeline').where({ is_default: true }).first('id');
    const row = {
      id: randomUUID(),
      name,
      ...columns,
      is_default: !hasDefault,
      spec: JSON.stringify(spec),
      created: now,
    };
    const inserted = await trx('pipeline')
      .insert({ ...row, ...stateOf(resource) })
      .onConflict()
      .ignore()
      .returning('id');
    if (inserted.length === 0) return;
    const entry = { actor: KUBECTL, resourceType: 'pipeline', resourceId: row.id, resource: name } as const;
    const changes = changesOfNew({ name, version: columns.version, status: columns.status });
    await writeAudit(trx, { ...entry, action: 'create', changes }, now);
  });
}
