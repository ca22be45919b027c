/** Panel types in Postgres. A group sees those open to all groups and those that name it. */
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import { NotFound } from '../errors.ts';
import { type PanelFacts, type PanelRow, panelColumns } from './panel-row.ts';

export type ListedPanel = PanelRow & { facts: PanelFacts };

/** Panel types that a reader sees: of these groups plus those open to all, or all. */
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

/** Lists the active panel types that a group may launch, the default first. */
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

/** Reads a panel type with its panel file, by id or by value. */
export async function readPanel(db: Knex, scope: Scope, by: { id: string } | { value: string }): Promise<PanelRow> {
  const row = await within(db, scope).where(by).first();
  if (!row) throw new NotFound();
  return row as PanelRow;
}

/** Reads and locks the row until the transaction ends. */
export async function lockPanel(trx: Knex.Transaction, scope: Scope, id: string): Promise<PanelRow> {
  const row = await within(trx, scope).where({ id }).forUpdate().first();
  if (!row) throw new NotFound();
  return row as PanelRow;
}

/** Finds the panel type of a value, if the reader may see it. */
export async function findPanel(db: Knex, scope: Scope, value: string): Promise<PanelRow | undefined> {
  return await within(db, scope).where({ value }).first();
}
