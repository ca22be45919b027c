// biome-ignore-all lint/a11y/useSemanticElements: a windowed grid positions its rows, which table elements cannot
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useId, useImperativeHandle, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EditGridRow } from './edit-grid-row.tsx';
import { EditGridToolbar } from './edit-grid-toolbar.tsx';
import type { GridColumn, GridProblem } from './grid-column.ts';
import { useGridCursor } from './use-grid-cursor.ts';
import { useGridEditing } from './use-grid-editing.ts';
import { useUndo } from './use-undo.ts';
import './edit-grid.css';

const ROW_PX = 32;
const NUMBER_PX = 56;

/** What a list of problems beside the grid can ask of it. */
export interface EditGridHandle {
  /** Moves the cursor to a cell and gives the grid the focus. `row` is 0-based. */
  goTo(row: number, column?: string): void;
}

export interface EditGridProps<Row> {
  label: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  /** Called with the new rows of each edit, paste, fill, undo; without it the grid is read-only. */
  onChange?: (rows: readonly Row[]) => void;
  /** Makes an empty row. Without it rows are neither added nor deleted. */
  newRow?: () => Row;
  problems?: readonly GridProblem[];
  /** Buttons of the page, at the end of the toolbar. */
  actions?: ReactNode;
  /** Called with the 0-based row under the cursor, for a picture that is linked with the rows. */
  onRow?: (row: number) => void;
  ref?: Ref<EditGridHandle>;
}

/** A spreadsheet: typing, paste from and copy to Excel, fill down, find and replace, undo; only rows in view are drawn. */
export function EditGrid<Row>(props: EditGridProps<Row>) {
  const { label, columns, rows, onChange, newRow, problems = [], actions, onRow, ref } = props;
  const { t } = useTranslation();
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const cursor = useGridCursor({ rows: rows.length, columns: columns.length }, ({ row }) => {
    if (row >= 0) virtual.scrollToIndex(row);
    onRow?.(row);
  });
  const history = useUndo(rows, (value) => onChange?.(value));
  const byRow = useMemo(() => Map.groupBy(problems, ({ row }) => row), [problems]);
  const { active, range } = cursor;

  useImperativeHandle(ref, () => ({
    goTo: (row, column) => {
      const index = columns.findIndex(({ key }) => key === column);
      cursor.moveTo({ row, column: Math.max(0, index) });
      scroller.current?.focus();
    },
  }));

  const editing = useGridEditing({ rows, columns, cursor, history, onChange, newRow, scroller });
  const template = `${NUMBER_PX}px ${columns.map(({ width }) => `${width}px`).join(' ')}`;
  const width = NUMBER_PX + columns.reduce((sum, column) => sum + column.width, 0);
  return (
    <div className="sp-edit-grid-frame">
      <EditGridToolbar
        columns={columns}
        rows={rows}
        range={range}
        problems={problems}
        history={history}
        onChange={onChange}
        newRow={newRow}
        onProblem={({ row, column }) => {
          cursor.moveTo({
            row,
            column: Math.max(
              0,
              columns.findIndex(({ key }) => key === column),
            ),
          });
          scroller.current?.focus();
        }}
        active={active}
        actions={actions}
      />
      <div
        ref={scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-readonly={onChange === undefined}
        aria-multiselectable
        aria-activedescendant={rows.length > 0 ? `${id}-${active.row}-${active.column}` : undefined}
        tabIndex={0}
        className="sp-edit-grid"
        onKeyDown={editing.onKeyDown}
        onCopy={editing.onCopy}
        onCut={onChange ? editing.onCopy : undefined}
        onPaste={editing.onPaste}
      >
        <div
          role="row"
          aria-rowindex={1}
          tabIndex={-1}
          className="sp-edit-grid-head"
          style={{ gridTemplateColumns: template, width }}
        >
          <div role="columnheader" tabIndex={-1}>
            {t('grid.row')}
          </div>
          {columns.map(({ key, title }) => (
            <div key={key} role="columnheader" tabIndex={-1} title={title}>
              {title}
            </div>
          ))}
        </div>
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), width, position: 'relative' }}>
          {virtual.getVirtualItems().map((item) => (
            <EditGridRow
              key={item.key}
              id={id}
              index={item.index}
              row={rows[item.index] as Row}
              columns={columns}
              problems={byRow.get(item.index)}
              active={item.index === active.row ? active.column : undefined}
              range={item.index >= range.top && item.index <= range.bottom ? range : undefined}
              typed={item.index === active.row ? editing.typed : undefined}
              onPoint={cursor.onPoint}
              onEdit={editing.startEditing}
              onDone={editing.stopEditing}
              style={{ gridTemplateColumns: template, transform: `translateY(${item.start}px)`, height: ROW_PX }}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
