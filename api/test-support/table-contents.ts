/** Digests all tables, to check that a call changed none. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** Returns a digest of the rows of each table, by name. */
export async function tableContents(db: Knex): Promise<Record<string, string>> {
  const { rows: tables } = await db.raw(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
       AND relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  const contents: Record<string, string> = {};
  for (const { name } of tables as { name: string }[]) {
    const { rows } = await db.raw('SELECT t::text AS text FROM ?? AS t ORDER BY 1', [name]);
    const digest = createHash('sha256');
    for (const { text } of rows as { text: string }[]) digest.update(`${text}\n`);
    contents[name] = `${rows.length} rows, ${digest.digest('hex').slice(0, 16)}`;
  }
  return contents;
}
