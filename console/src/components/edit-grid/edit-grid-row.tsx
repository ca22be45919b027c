// biome-ignore-all lint/a11y/useSemanticElements: a windowed grid positions its rows, which table elements cannot
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid itself has the focus and takes the keys
import type { CSSProperties, MouseEvent } from 'react';
import { CellInput } from './cell-input.tsx';
import type { GridCell, GridColumn, GridProblem, GridRange } from './grid-column.ts';

interface EditGridRowProps<Row> {
  id: string;
  index: number;
  row: Row;
  columns: readonly GridColumn<Row>[];
  problems: readonly GridProblem[] | undefined;
  /** Column under the cursor, when this is its row. */
  active: number | undefined;
  range: GridRange | undefined;
  /** Text being typed into the active cell. */
  typed: string | undefined;
  onPoint: (event: MouseEvent, cell: GridCell) => void;
  onEdit: () => void;
  onDone: (text: string | undefined, move: GridCell) => void;
  style: CSSProperties;
}

/** One row: its number, and its cells with what is wrong with each. */
export function EditGridRow<Row>(props: EditGridRowProps<Row>) {
  const { id, index, row, columns, problems = [], active, range, typed, style } = props;
  const ofRow = problems.filter(({ column }) => column === undefined).map(({ message }) => message);
  return (
    <div role="row" tabIndex={-1} aria-rowindex={index + 2} className="sp-edit-grid-row" style={style}>
      <div
        role="rowheader"
        tabIndex={-1}
        className={ofRow.length > 0 ? 'sp-wrong' : ''}
        title={ofRow.join('\n')}
        onClick={(event) => props.onPoint(event, { row: index, column: 0 })}
      >
        {index + 1}
      </div>
      {columns.map((column, place) => {
        const wrong = problems.filter(({ column: key }) => key === column.key).map(({ message }) => message);
        const isActive = place === active;
        const isSelected = range !== undefined && place >= range.left && place <= range.right;
        const text = column.read(row);
        const classes = [
          wrong.length > 0 && 'sp-wrong',
          isActive && 'sp-active',
          isSelected && 'sp-selected',
          column.isLocked?.(row) && 'sp-locked',
          column.kind === 'number' && 'sp-number',
        ];
        return (
          <div
            key={column.key}
            id={`${id}-${index}-${place}`}
            role="gridcell"
            tabIndex={-1}
            aria-colindex={place + 2}
            aria-selected={isSelected}
            aria-invalid={wrong.length > 0 || undefined}
            aria-description={wrong.length > 0 ? wrong.join(' ') : undefined}
            aria-readonly={column.kind === 'fixed' || column.isLocked?.(row) || undefined}
            title={wrong.length > 0 ? wrong.join('\n') : text}
            className={classes.filter(Boolean).join(' ')}
            translate="no"
            onClick={(event) => props.onPoint(event, { row: index, column: place })}
            onDoubleClick={props.onEdit}
          >
            {isActive && typed !== undefined ? (
              <CellInput column={column} text={typed} onDone={props.onDone} />
            ) : (
              textOf(column, text)
            )}
          </div>
        );
      })}
    </div>
  );
}

function textOf<Row>(column: GridColumn<Row>, text: string): string {
  if (column.kind === 'check') return text === 'yes' ? '☑' : '☐';
  return column.choices?.find(([value]) => value === text)?.[1] ?? text;
}
