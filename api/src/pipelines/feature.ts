/**
 * Pipelines. Installing one applies its shipped manifest; its row stays as history after a delete. The operator applies
 * each manifest once by itself, so this lists those deleted since or shipped with a newer api.
 */
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pipeline as PipelineObject } from '@seqpanel/crds/kinds.ts';
import type { Knex } from 'knex';
import { parse } from 'yaml';
import { type Actor, actorOf, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { pageOf } from '../db/page.ts';
import type { PipelineRow } from '../db/tables/configuration.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { AnswerOf, Deps, Feature } from '../feature.ts';
import { enqueueIntent } from '../outbox/intent.ts';

type Pipeline = AnswerOf<'installPipeline'>;

export function createPipelines(deps: Deps): Feature {
  const { db, config, now } = deps;

  async function install(name: string, actor: Actor): Promise<Pipeline> {
    const object = (await readShipped(config.pipelinesDir)).find(({ metadata }) => metadata?.name === name);
    if (!object) throw new Invalid('pipeline_unknown', { name });
    const { spec } = object;
    try {
      return await withTransaction(db, async (trx) => {
        const first = !(await trx('pipeline').whereNot({ status: 'deleted' }).where({ is_default: true }).first('id'));
        const row: PipelineRow = {
          id: randomUUID(),
          name,
          display_name: spec.displayName,
          version: spec.version,
          status: 'active',
          is_default: first,
          conditions: [],
          spec,
          created: now(),
          deleted: null,
        };
        await trx('pipeline').insert({ ...row, conditions: '[]', spec: JSON.stringify(spec) });
        const changes = changesOfNew({ name, version: spec.version, status: 'active' });
        await writeAudit(
          trx,
          { actor, resourceType: 'pipeline', resourceId: row.id, resource: name, action: 'create', changes },
          now(),
        );
        const metadata = { ...object.metadata, namespace: config.namespace };
        await enqueueIntent(trx, { type: 'apply', kind: 'Pipeline', object: { ...object, metadata } }, now());
        return pipelineAnswer(row);
      });
    } catch (error) {
      if (violatedConstraint(error)) throw new Conflict('pipeline_unknown', { name }, { cause: error });
      throw error;
    }
  }

  async function setStatus(id: string, status: PipelineRow['status'], actor: Actor): Promise<Pipeline> {
    return await withTransaction(db, async (trx) => {
      const before: PipelineRow | undefined = await trx('pipeline').where({ id }).forUpdate().first();
      if (!before) throw new NotFound();
      if (before.status === 'deleted') throw new Conflict('pipeline_deleted');
      const gone = status === 'deleted';
      const change = { status, ...(gone && { deleted: now(), is_default: false }) };
      await trx('pipeline').where({ id }).update(change);
      const changes = changesBetween({ status: before.status }, { status });
      const action = gone ? 'delete' : 'update';
      await writeAudit(
        trx,
        { actor, resourceType: 'pipeline', resourceId: id, resource: before.name, action, changes },
        now(),
      );
      await enqueueIntent(
        trx,
        gone
          ? { type: 'delete', kind: 'Pipeline', name: before.name }
          : {
              type: 'patch',
              kind: 'Pipeline',
              name: before.name,
              patch: { spec: { state: status === 'active' ? 'Active' : 'Disabled' } },
            },
        now(),
      );
      return pipelineAnswer({ ...before, ...change });
    });
  }

  return {
    name: 'pipelines',
    routes: {
      listPipelines: {
        role: 'staff',
        handle: async ({ query }) => {
          const page = await pageOf<PipelineRow>(db('pipeline'), query, (rows) =>
            rows.select('*').orderBy('created', 'desc'),
          );
          return { count: page.count, results: page.results.map(pipelineAnswer) };
        },
      },
      scanPipelines: { role: 'staff', handle: () => scan(db, config.pipelinesDir) },
      installPipeline: { role: 'staff', handle: (call) => install(call.body.name, actorOf(call)) },
      activatePipeline: { role: 'staff', handle: (call) => setStatus(call.params.id, 'active', actorOf(call)) },
      deactivatePipeline: { role: 'staff', handle: (call) => setStatus(call.params.id, 'disabled', actorOf(call)) },
      deletePipeline: { role: 'staff', handle: (call) => setStatus(call.params.id, 'deleted', actorOf(call)) },
    },
  };
}

async function scan(db: Knex, folder: string): Promise<AnswerOf<'scanPipelines'>> {
  const known = new Set<string | undefined>(
    (await db('pipeline').whereNot({ status: 'deleted' }).select('name')).map(({ name }) => name),
  );
  return (await readShipped(folder))
    .filter(({ metadata }) => !known.has(metadata?.name))
    .map(({ metadata, spec }) => ({ name: metadata!.name!, display_name: spec.displayName, version: spec.version }));
}

/** Reads the manifests shipped with the api. */
async function readShipped(folder: string): Promise<PipelineObject[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  return await Promise.all(
    names.map(async (name) => parse(await readFile(join(folder, name), 'utf8')) as PipelineObject),
  );
}

function pipelineAnswer(row: PipelineRow): Pipeline {
  return {
    id: row.id,
    name: row.name,
    display_name: row.display_name,
    version: row.version,
    status: row.status,
    is_default: row.is_default,
    valid: row.conditions.every(({ type, status }) => type !== 'Valid' || status !== 'False'),
    created: row.created.toISOString(),
    deleted: row.deleted?.toISOString() ?? null,
    stages: row.spec.stages as unknown as Record<string, unknown>[],
  };
}
