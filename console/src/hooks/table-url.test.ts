import fc from 'fast-check';
import { PAGE_SIZES, pageWithRow, readTableState, type TableDefinition, writeTableState } from './table-url.ts';

const definition: TableDefinition = {
  id: 'x',
  sortable: ['name', 'date'],
  defaultSort: { key: 'date', dir: 'desc' },
  filters: { status: { allowed: ['a', 'b', 'c'], multiple: true }, from: { pattern: /^\d{4}-\d\d-\d\d$/ } },
};
const read = (query: string) => readTableState(new URLSearchParams(query), definition, 20);

test('an empty query gives the defaults of the list', () => {
  expect(read('')).toEqual({
    q: '',
    sort: 'date',
    dir: 'desc',
    page: 1,
    perPage: 20,
    filters: { status: [], from: [] },
  });
});

test.each([
  ['page=0', { page: 1 }],
  ['page=-3', { page: 1 }],
  ['page=1.5', { page: 1 }],
  ['page=abc', { page: 1 }],
  ['perPage=7', { perPage: 20 }],
  ['perPage=5', { perPage: 5 }],
  ['sort=evil', { sort: 'date', dir: 'desc' }],
  ['sort=name', { sort: 'name', dir: 'asc' }],
  ['dir=sideways', { dir: 'desc' }],
])('%s is read as valid or dropped', (query, part) => {
  expect(read(query)).toMatchObject(part);
});

test('filter values that are not allowed are dropped, repeated ones counted once', () => {
  expect(read('status=a&status=x&status=a&status=c&from=soon').filters).toEqual({ status: ['a', 'c'], from: [] });
});

test('every valid state is read back as written; other parameters stay', () => {
  const state = fc.record({
    q: fc.string({ maxLength: 200 }),
    sort: fc.constantFrom('name', 'date'),
    dir: fc.constantFrom('asc' as const, 'desc' as const),
    page: fc.integer({ min: 1, max: 10_000 }),
    perPage: fc.constantFrom(...PAGE_SIZES),
    filters: fc.record({
      status: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
      from: fc.constantFrom<string[]>([], ['2026-01-31']),
    }),
  });
  fc.assert(
    fc.property(state, (value) => {
      const written = writeTableState(new URLSearchParams('group=7'), value, definition, 20);
      expect(readTableState(new URLSearchParams(written.toString()), definition, 20)).toEqual(value);
      expect(written.get('group')).toBe('7');
    }),
  );
});

test('defaults are left out of the address', () => {
  expect(writeTableState(new URLSearchParams(), read(''), definition, 20).toString()).toBe('');
});

test('the first visible row stays visible when the page size changes', () => {
  expect(pageWithRow(3, 20, 5)).toBe(9);
  expect(pageWithRow(9, 5, 20)).toBe(3);
});
