// biome-ignore-all lint/a11y/useSemanticElements: a windowed grid positions its rows, which table elements cannot
import { Button } from '@patternfly/react-core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RESULTS, region } from '../../../hooks/use-region-keys.ts';
import type { VariantColumn, VariantRow } from '../../../queries/results.ts';
import type { VariantUrl } from './use-variant-url.ts';
import { VariantCell } from './variant-cell.tsx';
import { locus } from './variant-format.ts';

/** Row height. Only the rows in view and a few around them are rendered. */
const ROW_PX = 32;
const IDENTITY_PX = 250;
const COLUMN_PX: Record<string, number> = {
  vaf: 150,
  consequence: 200,
  hgvs_c: 190,
  hgvs_p: 170,
  amplicon: 150,
  transcript: 160,
  strand_ratio: 120,
  clinical_significance: 170,
  sample: 130,
};
const DEFAULT_PX = 110;

interface VariantGridProps {
  rows: VariantRow[];
  /** Number of matching rows, loaded or not. */
  count: number;
  columns: VariantColumn[];
  url: VariantUrl;
  isStale: boolean;
  onEnd: () => void;
}

/** The table of variants, windowed in rows and in the columns of its cells: sticky identity column and header, arrow keys, Enter opens the drawer. */
export function VariantGrid({ rows, count, columns, url, isStale, onEnd }: VariantGridProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 1 && rows.length < count) onEnd();
  }, [last, rows.length, count, onEnd]);

  const widths = columns.map(({ key }) => COLUMN_PX[key] ?? DEFAULT_PX);
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => widths[index]!,
    paddingStart: IDENTITY_PX,
    overscan: 2,
  });
  const shown = across.getVirtualItems();
  const from = shown[0]?.index ?? 0;
  const to = (shown.at(-1)?.index ?? -1) + 1;
  const { setOpen } = url;
  const open = useCallback(
    (index: number, id: string) => {
      setActive(index);
      setOpen(id);
    },
    [setOpen],
  );
  const template = `${IDENTITY_PX}px ${widths.map((width) => `${width}px`).join(' ')}`;
  const width = IDENTITY_PX + widths.reduce((sum, each) => sum + each, 0);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(count - 1, to));
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 };
    const step = steps[event.key];
    if (step !== undefined) move(active + step);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(count - 1);
    else if (event.key === 'Enter' && event.target === scroller.current) url.setOpen(rows[active]?.id);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={t('variants.table')}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={rows[active] ? `variant-${rows[active].id}` : undefined}
      {...region(RESULTS)}
      tabIndex={0}
      className={`sp-grid${isStale ? ' sp-stale' : ''}`}
      onKeyDown={onKeyDown}
    >
      <div
        role="row"
        aria-rowindex={1}
        tabIndex={-1}
        className="sp-grid-header"
        style={{ gridTemplateColumns: template, width }}
      >
        <div role="columnheader" tabIndex={-1} className="sp-grid-identity">
          {t('variants.variant')}
        </div>
        {columns.map((column) => (
          <HeaderCell key={column.key} column={column} url={url} />
        ))}
      </div>
      <div style={{ height: virtual.getTotalSize(), width, position: 'relative' }} role="rowgroup">
        {items.map((item) => {
          const row = rows[item.index];
          return (
            <div
              key={item.key}
              id={row ? `variant-${row.id}` : undefined}
              role="row"
              tabIndex={-1}
              aria-rowindex={item.index + 2}
              aria-selected={row !== undefined && row.id === url.open}
              className={`sp-grid-row${item.index % 2 ? ' sp-odd' : ''}${item.index === active ? ' sp-active' : ''}${row && row.id === url.open ? ' sp-open' : ''}`}
              style={{ gridTemplateColumns: template, transform: `translateY(${item.start}px)`, height: ROW_PX }}
            >
              {row ? (
                <RowCells row={row} index={item.index} columns={columns} from={from} to={to} onOpen={open} />
              ) : (
                <div role="gridcell" tabIndex={-1} className="sp-grid-identity sp-grid-loading" />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function HeaderCell({ column, url }: { column: VariantColumn; url: VariantUrl }) {
  const { t } = useTranslation();
  const direction = url.sort === column.key ? 'ascending' : url.sort === `-${column.key}` ? 'descending' : 'none';
  const title = t(`variants.column.${column.key}` as never, { defaultValue: column.key });
  return (
    <div
      role="columnheader"
      tabIndex={-1}
      aria-sort={direction}
      title={String(t(`variants.help.${column.key}` as never, { defaultValue: column.help }))}
    >
      {column.sortable ? (
        <Button variant="plain" size="sm" onClick={() => url.sortBy(column.key)}>
          {title} {direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : ''}
        </Button>
      ) : (
        title
      )}
    </div>
  );
}

const NUMBERS = new Set(['number', 'integer', 'fraction']);

/** The identity of a row and its cells of the columns `from` to before `to`. Unchanged while other rows change. */
const RowCells = memo(function RowCells({
  row,
  index,
  columns,
  from,
  to,
  onOpen,
}: {
  row: VariantRow;
  index: number;
  columns: VariantColumn[];
  from: number;
  to: number;
  onOpen: (index: number, id: string) => void;
}) {
  return (
    <>
      <div role="rowheader" tabIndex={-1} aria-colindex={1} className="sp-grid-identity">
        <Button variant="link" isInline onClick={() => onOpen(index, row.id)} className="sp-grid-open">
          <span translate="no">
            {row.hotspot ? '★ ' : ''}
            {[row.gene, row.hgvs_p ?? row.hgvs_c].filter(Boolean).join(' ') || locus(row.chrom, row.pos)}
          </span>
        </Button>
      </div>
      {columns.slice(from, to).map((column, place) => (
        <div
          key={column.key}
          role="gridcell"
          tabIndex={-1}
          aria-colindex={from + place + 2}
          style={{ gridColumn: from + place + 2 }}
          className={NUMBERS.has(column.type) ? 'sp-number' : ''}
        >
          <VariantCell row={row} column={column.key} />
        </div>
      ))}
    </>
  );
});
