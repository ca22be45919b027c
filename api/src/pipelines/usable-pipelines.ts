/**
 * Returns the pipelines that a task can use: active and not invalid according to the operator. The default comes first.
 */
import type { Knex } from 'knex';

export interface UsablePipeline {
  name: string;
  version: string;
  is_default: boolean;
}

export async function readUsablePipelines(db: Knex): Promise<UsablePipeline[]> {
  return await db('pipeline')
    .where({ status: 'active' })
    .whereRaw(`NOT conditions @> '[{"type":"Valid","status":"False"}]'`)
    .orderBy('is_default', 'desc')
    .orderBy('created', 'desc')
    .select('name', 'version', 'is_default');
}
