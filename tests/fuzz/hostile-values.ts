/** Values outside of any schema: texts that break parsers and stores, and JSON that JSON.stringify cannot write. */
import fc from 'fast-check';

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u202e\ufeff',
  'İıſﬀ',
  '😀'.repeat(100),
  'a'.repeat(300),
  'a'.repeat(70_000),
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; DROP TABLE app_user; --",
  '%',
  '%_\\',
  '\\',
  '..',
  '../../../etc/passwd',
  '/',
  '{{7*7}}',
  '\r\nX-Injected: 1',
  '(a+)+$',
  'null',
  'NaN',
  '-1',
  '0',
  '1.5',
  '1e999',
  '2147483648',
  '9223372036854775808',
  'true',
  '[]',
  '{}',
  '2026-02-30',
  '0000-00-00',
  '99999-12-31',
  '2026-01-01T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
];

/** Literal text of a body, which `toJsonText` writes without quotes. */
const RAW = '\ue000raw:';
const raw = (text: string): string => RAW + text;

const DEPTH = 6_000;
const RAW_JSON: readonly string[] = [
  raw('1e999'),
  raw('-1e999'),
  raw('1e-999'),
  raw('123456789012345678901234567890.5'),
  raw('{"__proto__":{"isStaff":true},"constructor":{"prototype":{"isStaff":true}}}'),
  raw('{"a":1,"a":2}'),
  raw('['.repeat(DEPTH) + ']'.repeat(DEPTH)),
  raw(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`),
];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(0, -1, -0, 0.1, 1e308, 2 ** 31, 2 ** 53, 2 ** 63, null, true, false),
  },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], {}, [[]], [null], { a: { b: [] } }, Array(2_000).fill('x')) },
  { weight: 1, arbitrary: fc.constantFrom(...RAW_JSON) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** `__proto__` becomes a key like any other. */
export function withKey(object: Readonly<Record<string, unknown>>, key: string, value: unknown): object {
  const copy = { ...object };
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Writes halves of surrogate pairs as escapes, which are valid JSON. */
export function toJsonText(value: unknown): string {
  const found: string[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'string' || !part.startsWith(RAW)) return part;
    found.push(part.slice(RAW.length));
    return `${RAW}${found.length - 1}`;
  });
  return (text ?? 'null').replace(new RegExp(`"${RAW}(\\d+)"`, 'g'), (_, index) => found[Number(index)]!);
}

/** Percent-encodes a text. Half a surrogate pair becomes the bytes that UTF-8 forbids. */
export const encoded = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');

/** Encoded parts of a path and values of a query. */
export const hostilePart = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['%2F', '..%2F..%2Fetc%2Fpasswd', '%2e%2e', '.', '..', '%00', 'x%00', '%ff', '%c0%af', '%', '%zz', 'a%2fb'],
      ...['%5C..%5C', '..%252F', ';a=b', 'a+b', '%20', '%0d%0aX:y', '*', 'a'.repeat(4_000)],
    ),
  },
  { weight: 1, arbitrary: hostileText.map((text) => encoded(text.slice(0, 2_000)) || '%20') },
);
