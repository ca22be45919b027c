/** Requests to every operation, by every kind of caller: real, nearly real, and hostile. */
import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import fc from 'fast-check';
import type { OpenApiDocument, Operation } from '../../api/src/openapi/document.ts';
import { CALLERS, type CallerName } from '../../api/test-support/rights-callers.ts';
import type { Objects } from '../../api/test-support/rights-objects.ts';
import { type OperationPlace, parameterOf } from '../../api/test-support/rights-requests.ts';
import { type Body, type FormParts, formBodies, jsonBodies, tusBodies } from './bodies.ts';
import { encoded, hostilePart, hostileText, toJsonText } from './hostile-values.ts';
import { mutated } from './mutate.ts';
import { type Known, resolve, type Schema, validValues } from './schema-values.ts';

export interface FuzzRequest {
  operation: string;
  caller: CallerName;
  method: string;
  /** Encoded path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer | undefined;
}

/** Objects that the requests name. */
export interface FuzzSubject {
  document: OpenApiDocument;
  objects: Objects;
  otherGroup: string;
  known: Known;
  /** Other objects of the same kind, which nothing depends on. */
  spare: Partial<Objects>;
  /** A valid body, for operations that accept JSON. */
  realBody(place: OperationPlace): unknown;
  realQueries: Readonly<Record<string, string>>;
  realForms: Readonly<Record<string, FormParts>>;
  fileContents: readonly unknown[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

/** Node rejects headers of 16 kB before any handler. */
const MAX_TARGET = 12_000;

/** Mostly callers with the right to the operation. */
const callersOf = ({ path }: OperationPlace): fc.Arbitrary<CallerName> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<CallerName>(...(path.includes('{group}') ? MEMBERS : STAFF)) },
    { weight: 2, arbitrary: fc.constantFrom(...CALLERS) },
  );
const MEMBERS: readonly CallerName[] = ['member', 'member', 'group admin'];
const STAFF: readonly CallerName[] = ['staff', 'superuser', 'group admin'];

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'];

const CONDITIONS = fc.array(
  fc.record({
    field: fc.oneof(fc.constantFrom(...VARIANT_COLUMNS.map(({ key }) => key)), fc.constantFrom('__proto__', 'x', '')),
    operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'contains', 'starts with'),
    value: fc.oneof(
      fc.integer(),
      fc.string({ maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
      fc.double(),
    ),
    missingPasses: fc.boolean(),
  }),
  { maxLength: 4 },
);
const WHERE = fc.oneof(CONDITIONS, mutated(CONDITIONS)).map((value) => toJsonText(value).slice(0, 3_000));

const SORTS = fc
  .array(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom('pos', 'vaf', 'gene', 'impact', 'chrom', 'x')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((fields) => fields.map((field) => field.join('')).join(','));
const BY_NAME: Readonly<Record<string, fc.Arbitrary<string>>> = {
  where: WHERE,
  sort: fc.oneof(SORTS, fc.constantFrom('id', 'name', 'date', 'status', 'created', 'task_id')),
  sample: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('S1', 'S2', 'S1,S2') }, fc.string({ maxLength: 20 })),
};

const RANGES = [
  'bytes=0-',
  'bytes=0-0',
  'bytes=-1',
  'bytes=5-2',
  'bytes=99999999-',
  'bytes=0-1,3-4',
  'bytes=-',
  'x',
  'bytes=0-1e9',
];
const HEADERS: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    range: fc.constantFrom(...RANGES),
    'if-none-match': fc.constantFrom('*', '"x"', ''),
    'if-range': fc.constantFrom('"x"', 'Wed, 21 Oct 2015 07:28:00 GMT'),
    accept: fc.constantFrom('*/*', 'text/html', 'x', ''),
    cookie: fc.constantFrom('seqpanel_sso=x', 'a=b; a=c', '=;=', '%'),
    'idempotency-key': fc.oneof(
      fc.uuid(),
      fc.constantFrom('short', 'x'.repeat(128), 'x'.repeat(500), '__proto__', '12345678'),
    ),
    'x-forwarded-for': fc.constantFrom('127.0.0.1', 'x, y', '::1'),
    'x-http-method-override': fc.constantFrom('DELETE', 'x'),
    origin: fc.constantFrom('null', 'https://example.org'),
  },
  { requiredKeys: [] },
);

/** Requests to one operation. */
export function requestsTo(
  subject: FuzzSubject,
  place: OperationPlace,
  operation: Operation,
): fc.Arbitrary<FuzzRequest> {
  const parameters = ((operation.parameters ?? []) as Schema[]).map(
    (given) => resolve(subject.document, given) as unknown as Parameter,
  );
  return fc
    .tuple(
      callersOf(place),
      fc.oneof({ weight: 30, arbitrary: fc.constant(place.method) }, fc.constantFrom(...METHODS)),
      pathsOf(subject, place, parameters),
      queriesOf(subject, place, parameters),
      fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, HEADERS),
      bodiesOf(subject, place, operation),
    )
    .map(([caller, method, path, query, headers, body]) => ({
      operation: place.id,
      caller,
      method,
      target: (query ? `${path}?${query}` : path).slice(0, MAX_TARGET),
      headers: { ...headers, ...body?.headers },
      body: body?.bytes,
    }));
}

function pathsOf(
  subject: FuzzSubject,
  { path }: OperationPlace,
  parameters: readonly Parameter[],
): fc.Arbitrary<string> {
  const { objects, known, document, otherGroup, spare } = subject;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const values = names.map((name) => {
    const schema = parameters.find((parameter) => parameter.name === name)!.schema;
    const real = name === 'group' ? objects.group : parameterOf(path, name, objects);
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant(encoded(real)) },
      {
        weight: 5,
        arbitrary: fc.constant(encoded(name === 'group' ? real : parameterOf(path, name, { ...objects, ...spare }))),
      },
      { weight: 2, arbitrary: name === 'group' ? fc.constantFrom('0', otherGroup) : fc.constantFrom(...known.ids) },
      { weight: 2, arbitrary: validValues(document, schema, known).map((value) => encoded(String(value)) || '0') },
      { weight: 1, arbitrary: hostilePart },
    );
  });
  return fc.tuple(fc.tuple(...values), fc.nat(40)).map(([chosen, slash]) => {
    let next = 0;
    const filled = path.replace(/\{\w+\}/g, () => chosen[next++]!);
    return slash === 0 ? `${filled}/` : slash === 1 ? `/${filled}` : filled;
  });
}

function queriesOf(
  { document, known, realQueries }: FuzzSubject,
  { id }: OperationPlace,
  parameters: readonly Parameter[],
): fc.Arbitrary<string> {
  const own = parameters.filter((parameter) => parameter.in === 'query');
  const pairs = own.map(({ name, schema, required }) => {
    const valid = BY_NAME[name] ?? validValues(document, schema, known).map(String);
    const value = fc.oneof(
      { weight: 8, arbitrary: valid.map(encoded) },
      { weight: 1, arbitrary: hostileText.map(encoded) },
      { weight: 1, arbitrary: hostilePart },
    );
    const count = fc.oneof(
      { weight: required ? 20 : 5, arbitrary: fc.constant(1) },
      { weight: required ? 1 : 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constant(2) },
    );
    return fc
      .tuple(count, value, value)
      .map(([times, a, b]) => [a, b].slice(0, times).map((text) => `${name}=${text}`));
  });
  const stray = fc.oneof(
    { weight: 20, arbitrary: fc.constant([]) },
    fc.constantFrom(['undeclared=1'], ['__proto__=1'], ['a[b]=1'], ['=1'], ['%'], ['&&'], ['page[]=1']),
  );
  const any = fc.tuple(stray, ...pairs).map((all) => all.flat().join('&'));
  return fc.oneof({ weight: 3, arbitrary: any }, fc.constant(realQueries[id] ?? ''));
}

function bodiesOf(subject: FuzzSubject, place: OperationPlace, operation: Operation): fc.Arbitrary<Body | undefined> {
  const { document, known, fileContents, objects } = subject;
  const content = operation.requestBody?.content as Record<string, { schema: Schema }> | undefined;
  const none = fc.constant(undefined);
  if (/Upload/.test(place.id)) return fc.oneof({ weight: 6, arbitrary: tusBodies(objects.project) }, none);
  const json = content?.['application/json']?.schema;
  if (json)
    return fc.oneof({ weight: 20, arbitrary: jsonBodies(document, json, known, subject.realBody(place)) }, none);
  const form = content?.['multipart/form-data']?.schema;
  if (form)
    return fc.oneof(
      {
        weight: 20,
        arbitrary: formBodies(document, form, known, subject.realForms[place.id]!, fileContents),
      },
      none,
    );
  return fc.oneof({ weight: 12, arbitrary: none }, jsonBodies(document, {}, known, {}));
}
