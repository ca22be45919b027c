import { type KeyboardEvent, useRef, useState } from 'react';
import type { GridCell, GridColumn } from './grid-column.ts';

const STAY: GridCell = { row: 0, column: 0 };

interface CellInputProps<Row> {
  column: GridColumn<Row>;
  text: string;
  /** Ends the editing: with the text, or without one when it is dropped, and where the cursor goes from here. */
  onDone: (text: string | undefined, move: GridCell) => void;
}

/** The field of the cell being edited. Enter goes down, Tab right, Escape drops the text; leaving the field keeps it. */
export function CellInput<Row>({ column, text, ...props }: CellInputProps<Row>) {
  const [value, setValue] = useState(text);
  const isDone = useRef(false);
  // The grid takes the focus back while it handles this, which blurs the field once more.
  const onDone: typeof props.onDone = (kept, move) => {
    if (isDone.current) return;
    isDone.current = true;
    props.onDone(kept, move);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, GridCell> = {
      Enter: { row: event.shiftKey ? -1 : 1, column: 0 },
      Tab: { row: 0, column: event.shiftKey ? -1 : 1 },
    };
    const move = moves[event.key];
    if (event.key === 'Escape') onDone(undefined, STAY);
    else if (move) onDone(value, move);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shared = { 'aria-label': column.title, value, autoFocus: true, onKeyDown, className: 'sp-cell-input' };
  if (column.kind === 'choice')
    return (
      <select {...shared} onChange={(event) => onDone(event.target.value, STAY)} onBlur={() => onDone(undefined, STAY)}>
        {column.choices?.map(([choice, label]) => (
          <option key={choice} value={choice}>
            {label}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...shared}
      inputMode={column.kind === 'number' ? 'decimal' : 'text'}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => onDone(value, STAY)}
    />
  );
}
