/** Genomes: the row is written here, the resource through the outbox. The operator's check Job builds the indexes. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { actorOf, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { changedElsewhere, versionOf } from '../configuration/row-version.ts';
import { pageOf } from '../db/page.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Call, Deps, Feature } from '../feature.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { type Genome, type GenomeRow, genomeAnswer, genomeObject, storedGenome } from './genome-object.ts';
import { checkSource, checkStoragePath } from './genome-source.ts';

/** Must also be a valid resource name when lower-cased, so it begins and ends with a letter or digit. */
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

export function createGenomes(deps: Deps): Feature {
  const { db, config, settings, now } = deps;

  async function create(call: Pick<Call<'createGenome'>, 'body' | 'caller' | 'req'>): Promise<Genome> {
    const { body } = call;
    const value = body.value ?? '';
    if (!VALUE.test(value)) throw new Invalid('genome_value_characters');
    await checkSource(config.storageDir, await settings('genome_url_hosts'), body.source);
    for (const { path } of body.annotation ?? []) await checkStoragePath(config.storageDir, path);
    const row: GenomeRow = {
      id: randomUUID(),
      value,
      display_name: body.display_name?.trim() || value,
      active: body.active ?? true,
      synthetic: body.synthetic ?? false,
      instance_type: body.instance_type ?? '',
      file_extensions: body.file_extensions ?? [],
      source: body.source!,
      annotation: body.annotation ?? [],
      status: {},
      created: now(),
      modified: now(),
    };
    await unique(() =>
      withTransaction(db, async (trx) => {
        await trx('genome').insert(storedGenome(row));
        const { status: _, created: __, modified: ___, id, ...fields } = row;
        const entry = { actor: actorOf(call), resourceType: 'genome', resourceId: id, resource: value } as const;
        await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew(fields) }, now());
        await enqueueIntent(trx, { type: 'apply', kind: 'Genome', object: genomeObject(row, config.namespace) }, now());
      }),
    );
    return genomeAnswer(row);
  }

  async function update(call: Pick<Call<'updateGenome'>, 'body' | 'caller' | 'req' | 'params'>): Promise<Genome> {
    const { body, params } = call;
    for (const { path } of body.annotation ?? []) await checkStoragePath(config.storageDir, path);
    return await unique(() =>
      withTransaction(db, async (trx) => {
        const before: GenomeRow | undefined = await trx('genome').where({ id: params.id }).forUpdate().first();
        if (!before) throw new NotFound();
        const { version, value: _, source: __, synthetic: ___, ...given } = body; // the source of a genome cannot change
        if (version !== undefined && version !== versionOf(before)) {
          const theirs = editable(before);
          throw changedElsewhere(versionOf(before), { ...theirs, ...given }, theirs);
        }
        const after: GenomeRow = { ...before, ...given, modified: now() };
        const changes = changesBetween(before as never, given);
        await trx('genome').where({ id: before.id }).update(storedGenome(after));
        const entry = {
          actor: actorOf(call),
          resourceType: 'genome',
          resourceId: before.id,
          resource: before.value,
        } as const;
        await writeAudit(trx, { ...entry, action: 'update', changes }, now());
        await enqueueIntent(
          trx,
          { type: 'apply', kind: 'Genome', object: genomeObject(after, config.namespace) },
          now(),
        );
        return genomeAnswer(after);
      }),
    );
  }

  return {
    name: 'genomes',
    routes: {
      listGenomes: {
        role: 'staff-or-group-admin',
        handle: async ({ query }) => {
          const page = await pageOf<GenomeRow>(db('genome'), query, (rows) =>
            rows.select('*').orderByRaw('lower(display_name)'),
          );
          return { count: page.count, results: page.results.map(genomeAnswer) };
        },
      },
      getGenome: {
        role: 'staff-or-group-admin',
        handle: async ({ params }) => genomeAnswer(await readGenome(db, params.id)),
      },
      createGenome: { role: 'staff', handle: create },
      updateGenome: { role: 'staff', handle: update },
    },
  };
}

const editable = ({ display_name, active, instance_type, file_extensions, annotation }: GenomeRow) => ({
  display_name,
  active,
  instance_type,
  file_extensions,
  annotation,
});

async function readGenome(db: Knex, id: string): Promise<GenomeRow> {
  const row = await db('genome').where({ id }).first();
  if (!row) throw new NotFound();
  return row;
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error)) throw new Conflict('genome_exists', undefined, { cause: error });
    throw error;
  }
}
