/** Restores the rows that the requests name, so that late calls find the same objects as the first ones. */
import type { Knex } from 'knex';

/** Tables with these rows, parents first, with their keys. */
const KEPT: Readonly<Record<string, string>> = {
  app_user: 'id',
  user_group: 'id',
  membership: 'user_id, group_id',
  session: 'id',
  genome: 'id',
  panel_type: 'id',
  pipeline: 'id',
  preset: 'id',
  project: 'id',
  project_file: 'id',
  upload: 'id',
  task: 'id',
};

/** Returns a function that restores the current rows, also after changes and deletions. */
export async function keepRows(db: Knex): Promise<() => Promise<void>> {
  const kept: { statement: string; row: string }[] = [];
  for (const [table, key] of Object.entries(KEPT)) {
    const { rows: columns } = await db.raw(
      `SELECT string_agg(format('%1$I = EXCLUDED.%1$I', attname), ', ') AS list FROM pg_attribute
       WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    );
    const { rows } = await db.raw('SELECT to_jsonb(t)::text AS row FROM ?? AS t', [table]);
    const statement = `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, ?::jsonb)
      ON CONFLICT (${key}) DO UPDATE SET ${columns[0].list}`;
    for (const { row } of rows as { row: string }[]) kept.push({ statement, row });
  }
  return async () => {
    await db('setting').delete();
    await db('task').whereIn('status', ['queued', 'starting', 'running']).update({ status: 'aborted' });
    // The name may be in use meanwhile. Then that object is kept.
    for (const { statement, row } of kept) await db.raw(statement, [row]).catch(ignoreTaken);
  };
}

function ignoreTaken(error: Error & { code?: string }): void {
  if (error.code !== '23505') throw error;
}
