import { type KeyboardEvent, type MouseEvent, useState } from 'react';
import { type GridCell, type GridRange, rangeOf } from './grid-column.ts';

const PAGE_ROWS = 15;

interface Size {
  rows: number;
  columns: number;
}

/** The active cell, the other corner of the selection, and the keys and clicks that move them. */
export function useGridCursor({ rows, columns }: Size, scrollTo: (cell: GridCell) => void) {
  const [cursor, setCursor] = useState<GridCell>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<GridCell>({ row: 0, column: 0 });
  const active = inside(cursor, { rows, columns });
  const range: GridRange = rangeOf(active, inside(anchor, { rows, columns }));

  const moveTo = (cell: GridCell, extend = false) => {
    const to = inside(cell, { rows, columns });
    setCursor(to);
    if (!extend) setAnchor(to);
    scrollTo(to);
  };
  const onArrow = (event: KeyboardEvent): boolean => {
    const to = target(event, active, { rows, columns });
    if (!to) return false;
    moveTo(to, event.shiftKey && event.key !== 'Tab');
    return true;
  };
  const onPoint = (event: MouseEvent, cell: GridCell) => moveTo(cell, event.shiftKey);
  const selectAll = () => {
    setAnchor({ row: 0, column: 0 });
    setCursor({ row: rows - 1, column: columns - 1 });
  };
  return { active, range, moveTo, onArrow, onPoint, selectAll };
}

function inside({ row, column }: GridCell, { rows, columns }: Size): GridCell {
  return { row: clamp(row, rows), column: clamp(column, columns) };
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}

function target(event: KeyboardEvent, { row, column }: GridCell, { rows, columns }: Size): GridCell | undefined {
  const far = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'ArrowDown':
      return { row: far ? rows - 1 : row + 1, column };
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowRight':
      return { row, column: far ? columns - 1 : column + 1 };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'PageDown':
      return { row: row + PAGE_ROWS, column };
    case 'PageUp':
      return { row: row - PAGE_ROWS, column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? rows - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
}
