/** Parameters files in Postgres, by group. */
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import type { PanelTypeTable, PresetTable } from '../db/tables/configuration.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';

export type PresetInfo = AnswerOf<'listPresets'>['results'][number];
export type PresetDetail = AnswerOf<'getPreset'>;

/** A preset with its panel and its owner's name, without its content. */
type ListedPreset = Pick<
  PresetTable,
  'id' | 'name' | 'panel_type_id' | 'pipeline_version' | 'version' | 'created' | 'modified'
> &
  Pick<PanelTypeTable, 'value' | 'display_name'> & { username: string };

const rowsOf = (db: Knex, groupId: string) =>
  db('preset as s')
    .join('panel_type as p', 'p.id', 's.panel_type_id')
    .join('app_user as u', 'u.id', 's.owner_id')
    .where('s.group_id', groupId)
    .whereNull('s.deleted');

const INFO = [
  's.id',
  's.name',
  's.panel_type_id',
  's.pipeline_version',
  's.version',
  's.created',
  's.modified',
  'p.value',
  'p.display_name',
  'u.username',
];

const infoOf = (row: ListedPreset): PresetInfo => ({
  id: row.id,
  name: row.name,
  panel: row.value,
  panel_id: row.panel_type_id,
  panel_display_name: row.display_name,
  pipeline_version: row.pipeline_version,
  version: row.version,
  owner: row.username,
  created: row.created.toISOString(),
  modified: row.modified.toISOString(),
});

export async function listPresets(db: Knex, groupId: string, query: PageQuery & { panel?: string }) {
  const matching = rowsOf(db, groupId).modify((rows) => {
    if (query.panel) rows.where('p.value', query.panel);
  });
  const page = await pageOf<ListedPreset>(matching, query, (rows) => rows.select(INFO).orderByRaw('lower(s.name)'));
  return { count: page.count, results: page.results.map(infoOf) };
}

/** Reads a preset by id, or by the panel's value and the preset's name. */
export async function readPreset(
  db: Knex,
  groupId: string,
  by: { id: string } | { panel: string; name: string },
): Promise<PresetDetail> {
  const where = 'id' in by ? { 's.id': by.id } : { 'p.value': by.panel, 's.name': by.name };
  const row: (ListedPreset & Pick<PresetTable, 'content'>) | undefined = await rowsOf(db, groupId)
    .where(where)
    .first([...INFO, 's.content']);
  if (!row) throw new NotFound();
  return { info: infoOf(row), content: row.content };
}
