import Papa from 'papaparse';
import { type GridCell, type GridColumn, type GridRange, writeCell } from './grid-column.ts';

/** Cells of a text copied from a spreadsheet: tab-separated lines, cells with line breaks in quotes. */
export function parseClipboard(text: string): string[][] {
  return Papa.parse<string[]>(text.replace(/(?:\r\n|\r|\n)$/, ''), { delimiter: '\t' }).data;
}

/** Text of the range as a spreadsheet takes it. */
export function copyCells<Row>(rows: readonly Row[], columns: readonly GridColumn<Row>[], range: GridRange): string {
  const cells = rows
    .slice(range.top, range.bottom + 1)
    .map((row) => columns.slice(range.left, range.right + 1).map((column) => column.read(row)));
  return Papa.unparse(cells, { delimiter: '\t', newline: '\n' });
}

/** How a pasted table goes into the rows. */
export interface PasteTarget<Row> {
  rows: readonly Row[];
  columns: readonly GridColumn<Row>[];
  /** Upper left corner. */
  at: GridCell;
  /** Bottom right corner of the selection: one pasted cell fills it whole. */
  until: GridCell;
  /** Makes a row that the pasted text needs below the last one; absent where rows cannot be added. */
  newRow?: () => Row;
}

/** The rows after a paste. Cells right of the last column, and rows that cannot be added, are left out. */
export function pasteCells<Row>({ rows, columns, at, until, newRow }: PasteTarget<Row>, cells: string[][]): Row[] {
  const next = [...rows];
  const single = cells.length === 1 && cells[0]?.length === 1;
  const height = single ? until.row - at.row + 1 : cells.length;
  const width = single ? until.column - at.column + 1 : 0;
  for (let line = 0; line < height; line += 1) {
    const index = at.row + line;
    if (next[index] === undefined) {
      if (!newRow) break;
      next[index] = newRow();
    }
    const texts = single ? Array<string>(width).fill(cells[0]?.[0] ?? '') : (cells[line] ?? []);
    texts.forEach((text, offset) => {
      const column = columns[at.column + offset];
      const row = next[index];
      if (column && row !== undefined) next[index] = writeCell(column, row, text);
    });
  }
  return next;
}

/** The rows with each column's first cell of the range copied to the cells below it. */
export function fillDown<Row>(rows: readonly Row[], columns: readonly GridColumn<Row>[], range: GridRange): Row[] {
  const first = rows[range.top];
  if (first === undefined) return [...rows];
  return rows.map((row, index) =>
    index <= range.top || index > range.bottom
      ? row
      : columns
          .slice(range.left, range.right + 1)
          .reduce((changed, column) => writeCell(column, changed, column.read(first)), row),
  );
}

/** The rows with empty cells in the range. */
export function clearCells<Row>(rows: readonly Row[], columns: readonly GridColumn<Row>[], range: GridRange): Row[] {
  return rows.map((row, index) =>
    index < range.top || index > range.bottom
      ? row
      : columns.slice(range.left, range.right + 1).reduce((changed, column) => writeCell(column, changed, ''), row),
  );
}

/** The rows with `find` replaced in every text cell, and the number of cells changed. Case counts. */
export function replaceText<Row>(
  rows: readonly Row[],
  columns: readonly GridColumn<Row>[],
  find: string,
  by: string,
): { rows: Row[]; changed: number } {
  let changed = 0;
  if (find === '') return { rows: [...rows], changed };
  const next = rows.map((row) =>
    columns.reduce((current, column) => {
      const text = column.read(current);
      if (column.kind !== 'text' || !text.includes(find)) return current;
      const written = writeCell(column, current, text.replaceAll(find, by));
      if (written !== current) changed += 1;
      return written;
    }, row),
  );
  return { rows: next, changed };
}
