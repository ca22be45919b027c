import { type Foldable, foldColumns } from './fold-columns.ts';

const columns: Foldable[] = [
  { key: 'id' },
  { key: 'address', folds: { into: 'id', below: 900 } },
  { key: 'status' },
  { key: 'since', folds: { into: 'status', below: 1200 } },
  { key: 'note', folds: { into: 'since', below: 1500 } },
];
const shown = (width: number, of = columns) =>
  foldColumns(of, width).map(({ column, under }) => [column.key, ...under.map(({ key }) => key)].join('+'));

test('columns without room are folded under others', () => {
  expect(shown(Number.POSITIVE_INFINITY)).toEqual(['id', 'address', 'status', 'since', 'note']);
  expect(shown(1400)).toEqual(['id', 'address', 'status', 'since+note']);
});

test('a column is not folded under a folded or hidden column', () => {
  expect(shown(800)).toEqual(['id+address', 'status+since', 'note']);
  expect(shown(800, columns.slice(1))).toEqual(['address', 'status+since', 'note']);
});

test('nothing folds where each cell has its own line', () => {
  expect(shown(400)).toEqual(['id', 'address', 'status', 'since', 'note']);
});
