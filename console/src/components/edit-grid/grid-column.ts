/** A column of an editable grid: how a row shows a text in it and takes one. `Row` is a plain, immutable object. */
export interface GridColumn<Row> {
  key: string;
  title: string;
  /** Width in px. */
  width: number;
  kind: 'text' | 'number' | 'choice' | 'check' | 'fixed';
  /** Values of a `choice`, as [value, label]; pasted text matches either, without regard to case. */
  choices?: readonly (readonly [string, string])[];
  /** Text of the cell; a `check` reads 'yes' or ''. */
  read(row: Row): string;
  /** The row with this text in the cell; the same row where the text cannot be taken. Absent for `fixed`. */
  write?(row: Row, text: string): Row;
  /** Whether this cell of this row takes no input, e.g. the tumor content of a normal. */
  isLocked?(row: Row): boolean;
}

/** What is wrong with one cell, or with a row when `column` is absent. */
export interface GridProblem {
  /** 0-based. */
  row: number;
  column?: string;
  message: string;
}

/** A rectangle of cells, each end included, 0-based. */
export interface GridRange {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** A cell, 0-based. */
export interface GridCell {
  row: number;
  column: number;
}

/** Returns the rectangle with these two opposite corners. */
export function rangeOf(one: GridCell, other: GridCell): GridRange {
  return {
    top: Math.min(one.row, other.row),
    bottom: Math.max(one.row, other.row),
    left: Math.min(one.column, other.column),
    right: Math.max(one.column, other.column),
  };
}

/** Returns the row with `text` in the cell, by the column's kind; unchanged where the cell is fixed or locked. */
export function writeCell<Row>(column: GridColumn<Row>, row: Row, text: string): Row {
  if (!column.write || column.kind === 'fixed' || column.isLocked?.(row)) return row;
  if (column.kind === 'check') return column.write(row, /^(?:yes|y|true|1|x|是)$/i.test(text.trim()) ? 'yes' : '');
  if (column.kind !== 'choice') return column.write(row, text);
  const wanted = text.trim().toLowerCase();
  const choice = column.choices?.find((pair) => pair.some((one) => one.toLowerCase() === wanted));
  return choice ? column.write(row, choice[0]) : row;
}
