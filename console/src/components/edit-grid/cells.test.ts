import { clearCells, copyCells, fillDown, parseClipboard, pasteCells, replaceText } from './cells.ts';
import type { GridColumn } from './grid-column.ts';

interface Row {
  name: string;
  type: string;
  used: boolean;
}
const newRow = (): Row => ({ name: '', type: 'Sample', used: false });
const columns: GridColumn<Row>[] = [
  {
    key: 'name',
    title: 'Name',
    width: 100,
    kind: 'text',
    read: (row) => row.name,
    write: (row, name) => ({ ...row, name }),
  },
  {
    key: 'type',
    title: 'Type',
    width: 100,
    kind: 'choice',
    choices: [
      ['Sample', 'Sample'],
      ['NTC', 'No template'],
    ],
    read: (row) => row.type,
    write: (row, type) => ({ ...row, type }),
  },
  {
    key: 'used',
    title: 'Used',
    width: 50,
    kind: 'check',
    isLocked: (row) => row.type === 'NTC',
    read: (row) => (row.used ? 'yes' : ''),
    write: (row, text) => ({ ...row, used: text === 'yes' }),
  },
];
const rows: Row[] = [
  { name: 'A', type: 'Sample', used: false },
  { name: 'B', type: 'NTC', used: false },
];
const corner = { row: 0, column: 0 };

test('cells copied from a spreadsheet keep line breaks in quotes, and the last line end is no row', () => {
  expect(parseClipboard('A\t"two\nlines"\r\nB\tsay ""\r\n')).toEqual([
    ['A', 'two\nlines'],
    ['B', 'say ""'],
  ]);
});

test('a paste below the last row adds rows, and columns right of the last are left out', () => {
  const pasted = pasteCells({ rows, columns, at: { row: 1, column: 0 }, until: { row: 1, column: 0 }, newRow }, [
    ['X', 'sample', 'yes', 'too far'],
    ['Y', 'no TEMPLATE', 'yes'],
  ]);
  expect(pasted).toEqual([
    { name: 'A', type: 'Sample', used: false },
    { name: 'X', type: 'Sample', used: true },
    { name: 'Y', type: 'NTC', used: false },
  ]);
  expect(rows[1]).toEqual({ name: 'B', type: 'NTC', used: false });
});

test('a paste adds no rows where rows cannot be added', () => {
  expect(
    pasteCells({ rows, columns, at: { row: 1, column: 0 }, until: { row: 1, column: 0 } }, [['X'], ['Y']]),
  ).toHaveLength(2);
});

test('one pasted cell fills the selection', () => {
  const pasted = pasteCells({ rows, columns, at: corner, until: { row: 1, column: 0 } }, [['same']]);
  expect(pasted.map(({ name }) => name)).toEqual(['same', 'same']);
});

test('a text that is no choice leaves the cell as it was', () => {
  const pasted = pasteCells({ rows, columns, at: { row: 1, column: 1 }, until: { row: 1, column: 1 } }, [['Blood']]);
  expect(pasted[1]?.type).toBe('NTC');
});

test('5,000 pasted rows of 4 columns become 5,000 rows', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `S${index}\tSample\tyes`).join('\n');
  const pasted = pasteCells({ rows: [], columns, at: corner, until: corner, newRow }, parseClipboard(text));
  expect(pasted).toHaveLength(5000);
  expect(pasted[4999]).toEqual({ name: 'S4999', type: 'Sample', used: true });
});

test('fill down copies the first row of the selection, but not into locked cells', () => {
  const filled = fillDown([{ name: 'A', type: 'Sample', used: true }, ...rows], columns, {
    top: 0,
    bottom: 2,
    left: 2,
    right: 2,
  });
  expect(filled.map(({ used }) => used)).toEqual([true, true, false]);
});

test('cleared cells are empty and copied cells are tab-separated', () => {
  const range = { top: 0, bottom: 1, left: 0, right: 1 };
  expect(copyCells(rows, columns, range)).toBe('A\tSample\nB\tNTC');
  expect(clearCells(rows, columns, { ...range, right: 0 }).map(({ name }) => name)).toEqual(['', '']);
});

test('find and replace changes text cells only and counts them', () => {
  expect(replaceText(rows, columns, 'A', 'Z')).toEqual({
    rows: [
      { name: 'Z', type: 'Sample', used: false },
      { name: 'B', type: 'NTC', used: false },
    ],
    changed: 1,
  });
});
