/** Panel types in Postgres. What a group may see: those open to all groups, and those that name it. */
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import { NotFound } from '../errors.ts';
import { type PanelFacts, type PanelRow, panelColumns } from './panel-row.ts';

export type ListedPanel = PanelRow & { facts: PanelFacts };

/** Which panel types a reader sees: of these groups (and those open to all), or every one. */
export type Scope = { groups: readonly string[] } | 'all';

const within = (db: Knex, scope: Scope) =>
  db('panel_type').modify((rows) => {
    if (scope === 'all') return;
    rows.where((open) =>
      open.whereNull('group_list').orWhereRaw('jsonb_exists_any(group_list, ?::text[])', [[...scope.groups]]),
    );
  });

export function listPanels(
  db: Knex,
  scope: Scope,
  query: PageQuery,
): Promise<{ count: number; results: ListedPanel[] }> {
  return pageOf<ListedPanel>(within(db, scope), query, (rows) =>
    rows.select(panelColumns(db)).orderByRaw('lower(display_name)'),
  );
}

/** The active ones that a group may launch, the default first. */
export function listLaunchable(db: Knex, groupId: string): Promise<ListedPanel[]> {
  return within(db, { groups: [groupId] })
    .where({ active: true })
    .select(panelColumns(db))
    .orderBy('is_default', 'desc')
    .orderByRaw('lower(display_name)') as unknown as Promise<ListedPanel[]>;
}

export async function readListedPanel(db: Knex, scope: Scope, id: string): Promise<ListedPanel> {
  const row = await within(db, scope).where({ id }).first(panelColumns(db));
  if (!row) throw new NotFound();
  return row as ListedPanel;
}

/** With its panel file; by id or by value. */
export async function readPanel(db: Knex, scope: Scope, by: { id: string } | { value: string }): Promise<PanelRow> {
  const row = await within(db, scope).where(by).first();
  if (!row) throw new NotFound();
  return row as PanelRow;
}

/** The row as it is now, locked until the transaction ends. */
export async function lockPanel(trx: Knex.Transaction, scope: Scope, id: string): Promise<PanelRow> {
  const row = await within(trx, scope).where({ id }).forUpdate().first();
  if (!row) throw new NotFound();
  return row as PanelRow;
}

/** The panel type of a value, if there is one that the reader sees. */
export async function findPanel(db: Knex, scope: Scope, value: string): Promise<PanelRow | undefined> {
  return await within(db, scope).where({ value }).first();
}
