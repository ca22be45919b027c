/** Values that a schema of the document allows, with ids of existing objects where the schema requires an id. */
import fc from 'fast-check';
import type { OpenApiDocument } from '../../api/src/openapi/document.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

/** Texts with a meaning in a laboratory: names of its samples, files, panel; ids. */
export interface Known {
  ids: readonly string[];
  texts: readonly string[];
}

const MAX_ITEMS = 4;

export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const path = schema.$ref.slice(2).split('/');
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Schema;
}

export function validValues(document: OpenApiDocument, given: Schema, known: Known): fc.Arbitrary<unknown> {
  const schema = resolve(document, given);
  const valuesOf = (inner: Schema): fc.Arbitrary<unknown> => validValues(document, inner, known);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(valuesOf));
  if (schema.allOf) return fc.tuple(...schema.allOf.map(valuesOf)).map((parts) => Object.assign({}, ...parts));
  const types = [schema.type ?? 'any'].flat();
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, known, valuesOf)));
}

function valuesOfType(
  type: string,
  schema: Schema,
  known: Known,
  valuesOf: (inner: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const { minimum = -1e6, maximum = 1e6 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    case 'number':
      return fc.oneof(
        fc.double({ min: minimum, max: maximum, noNaN: true }),
        fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }),
      );
    case 'string':
      return textsOf(schema, known);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS),
      });
    case 'object':
      return objectsOf(schema, valuesOf);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textsOf({ format, pattern, minLength = 0, maxLength = 200 }: Schema, known: Known): fc.Arbitrary<unknown> {
  if (format === 'uuid') return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known.ids) }, fc.uuid());
  if (format === 'date')
    return fc
      .date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2090-01-01') })
      .map((day) => day.toISOString().slice(0, 10));
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((time) => time.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  const words = [...known.texts, ...known.ids].filter((text) => text.length <= maxLength && text.length >= minLength);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 8)) }),
    },
    { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(maxLength, 60_000))) },
  );
}

function objectsOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  valuesOf: (inner: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const fixed = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valuesOf(inner)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
  if (typeof additionalProperties !== 'object') return fixed;
  const more = fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), valuesOf(additionalProperties), { maxKeys: 3 });
  return fc.tuple(fixed, more).map(([own, others]) => ({ ...others, ...own }));
}
