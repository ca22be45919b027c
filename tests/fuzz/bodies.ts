/** Bodies: JSON that matches the document or nearly does, forms, parts of uploads, and other bytes. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { OpenApiDocument } from '../../api/src/openapi/document.ts';
import { hostileJson, hostileText, toJsonText } from './hostile-values.ts';
import { mutated } from './mutate.ts';
import { type Known, resolve, type Schema, validValues } from './schema-values.ts';

export interface Body {
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const jsonBody = (value: unknown): Body => ({ headers: JSON_TYPE, bytes: Buffer.from(toJsonText(value)) });

const OTHER_HEADERS: readonly Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset=no-such' },
  { 'content-type': 'application/json;;;' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/vnd.api+json' },
  { ...JSON_TYPE, 'content-encoding': 'gzip' },
  { ...JSON_TYPE, 'content-encoding': 'br' },
  { ...JSON_TYPE, 'content-encoding': 'no-such' },
  {},
];

/** Truncated, with invalid UTF-8, with another type, or compressed according to the header. */
const damaged = (bodies: fc.Arbitrary<Body>): fc.Arbitrary<Body> =>
  fc.tuple(bodies, fc.nat(4), fc.nat(), fc.constantFrom(...OTHER_HEADERS)).map(([body, how, place, headers]) => {
    const { bytes } = body;
    const at = place % (bytes.length + 1);
    if (how === 0) return { ...body, bytes: bytes.subarray(0, at) };
    if (how === 1)
      return {
        ...body,
        bytes: Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
          bytes.subarray(at),
        ]),
      };
    if (how === 2) return { ...body, bytes: Buffer.concat([bytes, bytes]) };
    if (how === 3) return { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, bytes: gzipSync(bytes) };
    return { headers, bytes };
  });

/** `real`: a valid body of the operation. */
export function jsonBodies(document: OpenApiDocument, schema: Schema, known: Known, real: unknown): fc.Arbitrary<Body> {
  const valid = validValues(document, schema, known);
  const good = fc.oneof(fc.constant(real), valid);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(jsonBody(real)) },
    { weight: 4, arbitrary: valid.map(jsonBody) },
    { weight: 5, arbitrary: mutated(good).map(jsonBody) },
    { weight: 1, arbitrary: hostileJson.map(jsonBody) },
    { weight: 1, arbitrary: damaged(good.map(jsonBody)) },
  );
}

interface Part {
  name: string;
  file: string | undefined;
  bytes: Buffer;
}

const BOUNDARY = 'fuzz-boundary';
const FILE_NAMES = [
  ...['toy_panel.json', 'new_panel.json', 'control.txt', 'data.tsv', 'panel.tar.gz', 'design.bed', 'design.bedpe'],
  ...['../../outside.json', 'a/b.json', '', '.', 'a\0.json', 'x'.repeat(300), '𝔘.json', '__proto__'],
];

function formBytes(parts: readonly Part[]): Buffer {
  const written = parts.map(({ name, file, bytes }) =>
    Buffer.concat([
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n\r\n`,
      ),
      bytes,
      Buffer.from('\r\n'),
    ]),
  );
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** The parts of a form by name. A file is [name, content]. */
export type FormParts = Readonly<Record<string, string | readonly [string, string]>>;

const partOf = ([name, value]: [string, string | readonly [string, string]]): Part =>
  typeof value === 'string'
    ? { name, file: undefined, bytes: Buffer.from(value) }
    : { name, file: value[0], bytes: Buffer.from(value[1]) };

/** `real`: a valid form of the operation. `contents`: contents of files that such operations accept. */
export function formBodies(
  document: OpenApiDocument,
  given: Schema,
  known: Known,
  real: FormParts,
  contents: readonly unknown[],
): fc.Arbitrary<Body> {
  const { properties = {} } = resolve(document, given);
  const isFile = (schema: Schema): boolean => (schema.items ?? schema).format === 'binary';
  const bytes = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...contents)
        .map((content) => Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))),
    },
    { weight: 3, arbitrary: mutated(fc.constantFrom(...contents)).map((content) => Buffer.from(toJsonText(content))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(Buffer.alloc(0), Buffer.from([0x1f, 0x8b, 8]), gzipSync(Buffer.alloc(100_000))),
    },
  );
  const parts = Object.entries(properties).map(([name, schema]): fc.Arbitrary<Part> => {
    if (isFile(schema))
      return fc.tuple(fc.constantFrom(...FILE_NAMES), bytes).map(([file, content]) => ({ name, file, bytes: content }));
    const text = fc.oneof({ weight: 5, arbitrary: validValues(document, schema, known) }, hostileText);
    return text.map((value) => ({ name, file: undefined, bytes: Buffer.from(String(value)) }));
  });
  const stray = fc
    .tuple(fc.constantFrom('__proto__', 'x'.repeat(400), '', 'panel_file', 'constructor'), hostileText)
    .map(([name, text]): Part => ({ name, file: undefined, bytes: Buffer.from(text) }));
  const realParts = Object.entries(real).map(partOf);
  const chosen = fc.oneof(
    fc.constant(realParts),
    fc
      .tuple(fc.shuffledSubarray(realParts), fc.array(fc.oneof(...parts, stray), { maxLength: 2 }))
      .map((all) => all.flat()),
    fc.array(fc.oneof({ weight: 12, arbitrary: fc.oneof(...parts) }, stray), { maxLength: 10 }),
  );
  const form = chosen.map(
    (all): Body => ({
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      bytes: formBytes(all),
    }),
  );
  return fc.oneof({ weight: 8, arbitrary: form }, damaged(form), hostileJson.map(jsonBody));
}

const BASE64 = (text: string): string => Buffer.from(text).toString('base64');

const TUS = { 'tus-resumable': '1.0.0' };

const metadata = (name: string, project: string): string =>
  `filename ${BASE64(name.slice(0, 400))},project ${BASE64(project.slice(0, 400))}`;

/** Headers and bytes of the tus protocol. */
export function tusBodies(project: string): fc.Arbitrary<Body> {
  const numbers = fc.constantFrom('0', '10', '-1', '1e3', '', '99999999999999999999', '100000000000000', 'x', '0x10');
  const right = fc.nat(1_000_000).map((n) => ({
    ...TUS,
    'upload-offset': '0',
    'upload-length': '100',
    'upload-metadata': metadata(`new-${n}.fastq`, project),
    'content-type': 'application/offset+octet-stream',
  }));
  const wrong = fc.record(
    {
      'tus-resumable': fc.constantFrom('0.9', '', 'x'),
      'upload-offset': numbers,
      'upload-length': numbers,
      'upload-metadata': fc.oneof(
        hostileText.map((name) => metadata(name, project)),
        hostileText.map((id) => metadata('new.fastq', id)),
        fc.constantFrom('filename', 'filename ,project', ',,,', 'filename !!!', '', 'project eA==,project eA=='),
      ),
      'upload-defer-length': fc.constantFrom('1', '2', ''),
      'upload-concat': fc.constantFrom('partial', 'final;/a /b', ''),
      'content-type': fc.constant('text/plain'),
    },
    { requiredKeys: [] },
  );
  const one = fc.tuple(wrong, fc.nat()).map(([all, at]) => Object.entries(all).slice(at % 4, (at % 4) + 1));
  const headers = fc.oneof(
    { weight: 2, arbitrary: right },
    { weight: 3, arbitrary: fc.tuple(right, one).map(([good, bad]) => ({ ...good, ...Object.fromEntries(bad) })) },
    { weight: 1, arbitrary: wrong.map((all) => ({ ...TUS, ...all })) },
    { weight: 2, arbitrary: fc.constant(TUS) },
  );
  return fc.tuple(headers, fc.uint8Array({ maxLength: 120 })).map(([all, bytes]) => ({
    headers: all as Record<string, string>,
    bytes: Buffer.from(bytes),
  }));
}
