import { readdirSync, readFileSync } from 'node:fs';
import { createTestDatabase } from '../../test-support/postgres.ts';

type Columns = Record<string, string>;

/** JavaScript types that pg returns for the types of Postgres. */
const SCALARS: Columns = {
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
};

const folder = new URL('tables/', import.meta.url);
const declared = declaredTables();
const migrated = await migratedTables();

test('every migrated table has a type, and every type has a table', () => {
  expect(Object.keys(declared).sort()).toEqual(Object.keys(migrated).sort());
});

test.each(Object.keys(migrated))(
  'the type of a row of %s has its columns with their types and nullability',
  (table) => {
    expect(declared[table]).toEqual(migrated[table]);
  },
);

/** Columns of each interface by name, including inherited ones. */
function declaredTables(): Record<string, Columns> {
  const source = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const bodies = new Map<string, Columns>();
  for (const [, name, parents, body] of source
    .join('\n')
    .matchAll(/interface (\w+)(?: extends ([\w, ]+))? \{(.*?)\n?\}\n/gs)) {
    const own = [...body!.matchAll(/^ {2}(\w+): (.+?)$/gms)].map(
      ([, column, type]) => [column!, kindOf(type!)] as const,
    );
    const inherited = (parents ?? '').split(', ').map((parent) => bodies.get(parent) ?? {});
    bodies.set(name!, Object.assign({}, ...inherited, Object.fromEntries(own)));
  }
  const tables = readFileSync(new URL('tables.ts', import.meta.url), 'utf8');
  return Object.fromEntries(
    [...tables.matchAll(/^ {4}(\w+): Table<\w+\.(\w+)>;$/gm)].map(([, table, type]) => [
      table!,
      bodies.get(type!) ?? {},
    ]),
  );
}

/** Scalars that pg parses are compared by name; text may be a union of literals and JSON of any type. */
function kindOf(type: string): string {
  const [, scalar = 'text or json'] = /^(number|boolean|Date|Buffer)\b/.exec(type) ?? [];
  return `${scalar}${/ \| null;$/.test(type) ? ' or null' : ''}`;
}

async function migratedTables(): Promise<Record<string, Columns>> {
  const { db, close } = await createTestDatabase();
  const { rows } = await db.raw<{ rows: { table: string; column: string; type: string; nullable: boolean }[] }>(
    `SELECT c.relname AS table, i.column_name AS column, i.data_type AS type, i.is_nullable = 'YES' AS nullable
     FROM information_schema.columns i JOIN pg_class c ON c.oid = to_regclass(quote_ident(i.table_name))
     WHERE i.table_schema = 'public' AND NOT c.relispartition AND c.relname NOT LIKE 'knex%'`,
  );
  await close();
  const tables: Record<string, Columns> = {};
  for (const { table, column, type, nullable } of rows) {
    tables[table] ??= {};
    tables[table][column] = `${SCALARS[type] ?? 'text or json'}${nullable ? ' or null' : ''}`;
  }
  return tables;
}
