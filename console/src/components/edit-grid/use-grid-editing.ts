import { type ClipboardEvent, type KeyboardEvent, type RefObject, useState } from 'react';
import { clearCells, copyCells, fillDown, parseClipboard, pasteCells } from './cells.ts';
import { type GridCell, type GridColumn, writeCell } from './grid-column.ts';
import type { useGridCursor } from './use-grid-cursor.ts';
import type { useUndo } from './use-undo.ts';

interface GridEditing<Row> {
  rows: readonly Row[];
  columns: readonly GridColumn<Row>[];
  cursor: ReturnType<typeof useGridCursor>;
  history: ReturnType<typeof useUndo>;
  onChange: ((rows: readonly Row[]) => void) | undefined;
  newRow: (() => Row) | undefined;
  scroller: RefObject<HTMLDivElement | null>;
}

/** What keys, clipboard and cell fields do to the rows. `typed` is the text of the cell being edited. */
export function useGridEditing<Row>({ rows, columns, cursor, history, onChange, newRow, scroller }: GridEditing<Row>) {
  const [typed, setTyped] = useState<string>();
  const { active, range } = cursor;

  const write = (text: string) => {
    const column = columns[active.column];
    const row = rows[active.row];
    if (!column || row === undefined) return;
    const written = writeCell(column, row, text);
    if (written !== row) onChange?.(rows.with(active.row, written));
  };
  const stopEditing = (text: string | undefined, move: GridCell) => {
    setTyped(undefined);
    if (text !== undefined) write(text);
    cursor.moveTo({ row: active.row + move.row, column: active.column + move.column });
    scroller.current?.focus();
  };
  const startEditing = (text?: string) => {
    const column = columns[active.column];
    const row = rows[active.row];
    if (!onChange || !column?.write || row === undefined || column.kind === 'fixed' || column.isLocked?.(row)) return;
    if (column.kind === 'check') write(column.read(row) === 'yes' ? '' : 'yes');
    else setTyped(text ?? column.read(row));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (typed !== undefined || event.target !== scroller.current) return;
    const ctrl = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (cursor.onArrow(event)) event.preventDefault();
    else if (ctrl && key === 'a') cursor.selectAll();
    else if (ctrl && key === 'z') event.shiftKey ? history.redo() : history.undo();
    else if (ctrl && key === 'y') history.redo();
    else if (ctrl && key === 'd') onChange?.(fillDown(rows, columns, range));
    else if (ctrl || event.altKey) return;
    else if (key === 'delete' || key === 'backspace') onChange?.(clearCells(rows, columns, range));
    else if (key === 'enter' || key === 'f2') startEditing();
    else if (event.key.length === 1)
      startEditing(event.key === ' ' || columns[active.column]?.kind === 'choice' ? undefined : event.key);
    else return;
    event.preventDefault();
  };
  const onCopy = (event: ClipboardEvent) => {
    if (typed !== undefined) return;
    event.clipboardData.setData('text/plain', copyCells(rows, columns, range));
    event.preventDefault();
    if (event.type === 'cut') onChange?.(clearCells(rows, columns, range));
  };
  const onPaste = (event: ClipboardEvent) => {
    if (typed !== undefined || !onChange) return;
    event.preventDefault();
    const at = { row: range.top, column: range.left };
    const until = { row: range.bottom, column: range.right };
    const target = { rows, columns, at, until, ...(newRow ? { newRow } : {}) };
    onChange(pasteCells(target, parseClipboard(event.clipboardData.getData('text/plain'))));
  };

  return { typed, startEditing, stopEditing, onKeyDown, onCopy, onPaste };
}
