import { describe, expect, test } from '@jest/globals';
import { buildDocument, operationsOf } from './document.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  additionalProperties?: boolean | Schema;
  properties?: Record<string, Schema>;
  items?: Schema;
}

const document = buildDocument();

function resolve(schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const path = schema.$ref.slice(2).split('/');
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Schema;
}

/** Matches patterns of a whole text without an unlimited repetition. */
const isBounded = ({ pattern = '' }: Schema): boolean => /^\^.*\$$/.test(pattern) && !/[*+]|,\}/.test(pattern);

/** Returns the parts of a schema that accept a text, list or object of any size. */
function unbounded(given: Schema, at: string): string[] {
  const schema = resolve(given);
  if (schema.enum) return [];
  const types = [schema.type ?? 'anything'].flat();
  const found: string[] = [];
  if (types.includes('anything')) found.push(`${at} takes anything`);
  const fixedLength = ['uuid', 'date', 'date-time'].includes(schema.format ?? '') || isBounded(schema);
  if (types.includes('string') && schema.maxLength === undefined && !fixedLength) found.push(`${at}: no maxLength`);
  if (types.includes('array') && schema.maxItems === undefined) found.push(`${at}: no maxItems`);
  if (types.includes('object') && schema.additionalProperties !== false && schema.maxProperties === undefined)
    found.push(`${at}: no maxProperties`);
  const { additionalProperties: rest, items, properties = {} } = schema;
  return [
    ...found,
    ...Object.entries(properties).flatMap(([name, property]) => unbounded(property, `${at}.${name}`)),
    ...(typeof rest === 'object' ? unbounded(rest, `${at}.*`) : []),
    ...(items ? unbounded(items, `${at}[]`) : []),
  ];
}

interface Described {
  requestBody?: { content: Record<string, { schema: Schema }> };
  parameters?: { $ref?: string; name?: string; schema?: Schema }[];
}

const operations = [...operationsOf(document)].map(
  ({ operation }) => [operation.operationId, operation as unknown as Described] as const,
);

describe('every request is bounded by the document', () => {
  test.each(operations.filter(([, { requestBody }]) => requestBody?.content['application/json']))(
    'each text, list and object in the body of %s',
    (id, { requestBody }) => {
      expect(unbounded(requestBody!.content['application/json']!.schema, id)).toEqual([]);
    },
  );

  test('each parameter', () => {
    const found = operations.flatMap(([id, { parameters = [] }]) =>
      parameters
        .map((parameter) => resolve(parameter as Schema) as typeof parameter)
        .flatMap(({ name, schema }) => unbounded(schema!, `${id} ${name}`)),
    );
    expect(found).toEqual([]);
  });

  test('[API-08] [API-29] [API-42] lists for members return at most 200 rows, except those that are read as a whole', () => {
    const largest: Record<string, number> = {};
    for (const [id, { parameters = [], ...operation }] of operations) {
      if (/^staff/.test((operation as { 'x-role'?: string })['x-role'] ?? '')) continue;
      for (const parameter of parameters) {
        const { name, schema } = resolve(parameter as Schema) as { name?: string; schema?: { maximum: number } };
        if (name === 'page_size' && schema!.maximum > 200) largest[id] = schema!.maximum;
      }
    }
    expect(largest).toEqual({
      listPresets: 9_999,
      listProjects: 99_999,
      // Chunks of a grid that scrolls.
      listVariants: 1_000,
    });
  });
});
