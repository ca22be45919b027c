/** Parameters files in Postgres, by group. */
import type { Preset } from '@seqpanel/crds/preset.ts';
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';

export type PresetInfo = AnswerOf<'listPresets'>['results'][number];
export type PresetDetail = AnswerOf<'getPreset'>;

export interface PresetRow {
  id: string;
  group_id: string;
  panel_type_id: string;
  name: string;
  pipeline_version: string;
  content: Preset;
  version: number;
  owner_id: string;
  created: Date;
  modified: Date;
}

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

// biome-ignore lint/suspicious/noExplicitAny: a row of the columns INFO
const infoOf = (row: any): PresetInfo => ({
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
  const page = await pageOf(matching, query, (rows) => rows.select(INFO).orderByRaw('lower(s.name)'));
  return { count: page.count, results: page.results.map(infoOf) };
}

/** Reads a preset by id, or by the panel's value and the preset's name. */
export async function readPreset(
  db: Knex,
  groupId: string,
  by: { id: string } | { panel: string; name: string },
): Promise<PresetDetail> {
  const where = 'id' in by ? { 's.id': by.id } : { 'p.value': by.panel, 's.name': by.name };
  const row = await rowsOf(db, groupId)
    .where(where)
    .first([...INFO, 's.content']);
  if (!row) throw new NotFound();
  return { info: infoOf(row), content: row.content };
}
