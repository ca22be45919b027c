import { readFileSync } from 'node:fs';
import { type ColumnType, VARIANT_COLUMNS, VARIANT_VALUES, valuesFrom } from '@seqpanel/crds/variant-columns.ts';
import { parse } from 'yaml';
import { createTestDatabase } from '../../test-support/postgres.ts';

const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  choice: 'text',
  number: 'double precision',
  fraction: 'double precision',
  integer: 'integer',
  boolean: 'boolean',
  list: 'ARRAY',
};
const JSON_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  choice: 'string',
  number: 'number',
  fraction: 'number',
  integer: 'integer',
  boolean: 'boolean',
  list: 'array',
};

test('the migrated table has every value of a variant with its type', async () => {
  const { db, close } = await createTestDatabase();
  const { rows } = await db.raw<{ rows: { name: string; type: string }[] }>(
    "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = 'call'",
  );
  await close();
  const found = new Map(rows.map(({ name, type }) => [name, type]));
  const stored = new Set(valuesFrom('call', 'allele', 'transcript'));
  for (const { key, type } of VARIANT_VALUES)
    if (stored.has(key)) expect([key, found.get(key)]).toEqual([key, SQL_TYPES[type]]);
  const others = [...found.keys()].filter((name) => !stored.has(name)).sort();
  const own = ['task_id', 'sample_idx', 'allele_key', 'chrom_order', 'impact_order', 'kept', 'post_group', 'search'];
  expect(others).toEqual(own.sort());
});

test('the document has every value of a variant with its type', () => {
  const file = new URL('../../openapi/schemas/results.yaml', import.meta.url);
  const { VariantRow } = parse(readFileSync(file, 'utf8')) as {
    VariantRow: { properties: Record<string, { type: string | string[]; enum?: (string | null)[] }> };
  };
  const { id, allele_key, seen, seen_of, ...documented } = VariantRow.properties;
  // Sent in addition to the document: whether the caller called the allele.
  const values = VARIANT_VALUES.filter(({ key }) => key !== 'called');
  expect(Object.keys(documented).sort()).toEqual(values.map(({ key }) => key).sort());
  for (const { key, type } of values)
    expect([key, [documented[key]!.type].flat().filter((name) => name !== 'null')]).toEqual([key, [JSON_TYPES[type]]]);
  for (const { key, values: choices } of VARIANT_COLUMNS)
    if (documented[key]?.enum)
      expect([key, documented[key].enum.filter((value) => value !== null)]).toEqual([key, choices]);
});
