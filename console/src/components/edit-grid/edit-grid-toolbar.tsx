import { Button, Flex, FlexItem, TextInput } from '@patternfly/react-core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fillDown, replaceText } from './cells.ts';
import type { GridCell, GridColumn, GridProblem, GridRange } from './grid-column.ts';
import type { useUndo } from './use-undo.ts';

interface EditGridToolbarProps<Row> {
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  range: GridRange;
  active: GridCell;
  problems: readonly GridProblem[];
  history: ReturnType<typeof useUndo>;
  onChange: ((rows: readonly Row[]) => void) | undefined;
  newRow: (() => Row) | undefined;
  onProblem: (problem: GridProblem) => void;
  actions: ReactNode;
}

/** Rows, problems, and the edits that have no cell of their own. */
export function EditGridToolbar<Row>(props: EditGridToolbarProps<Row>) {
  const { rows, columns, range, problems, history, onChange, newRow } = props;
  const { t } = useTranslation();
  const [isReplacing, setReplacing] = useState(false);
  const selected = range.bottom - range.top + 1;
  const next = problems.find(({ row }) => row > props.active.row) ?? problems[0];
  return (
    <>
      <Flex className="sp-edit-grid-toolbar" columnGap={{ default: 'columnGapSm' }}>
        <FlexItem>{t('table.count', { count: rows.length })}</FlexItem>
        {next && (
          <FlexItem>
            <Button variant="link" isDanger size="sm" onClick={() => props.onProblem(next)}>
              {t('grid.problems', { count: problems.length })}
            </Button>
          </FlexItem>
        )}
        {onChange && (
          <>
            {newRow && (
              <>
                <Button variant="secondary" size="sm" onClick={() => onChange([...rows, newRow()])}>
                  {t('grid.add_row')}
                </Button>
                <Button
                  variant="secondary"
                  size="sm"
                  isDisabled={rows.length === 0}
                  onClick={() => onChange(rows.filter((_row, index) => index < range.top || index > range.bottom))}
                >
                  {t('grid.delete_rows', { count: selected })}
                </Button>
              </>
            )}
            <Button
              variant="secondary"
              size="sm"
              isDisabled={selected < 2}
              onClick={() => onChange(fillDown(rows, columns, range))}
            >
              {t('grid.fill_down')}
            </Button>
            <Button
              variant="secondary"
              size="sm"
              aria-expanded={isReplacing}
              onClick={() => setReplacing(!isReplacing)}
            >
              {t('grid.replace')}
            </Button>
            <Button variant="plain" size="sm" isDisabled={!history.canUndo} onClick={history.undo}>
              {t('grid.undo')}
            </Button>
            <Button variant="plain" size="sm" isDisabled={!history.canRedo} onClick={history.redo}>
              {t('grid.redo')}
            </Button>
          </>
        )}
        {props.actions}
      </Flex>
      {isReplacing && onChange && <ReplaceBar rows={rows} columns={columns} onChange={onChange} />}
    </>
  );
}

function ReplaceBar<Row>({
  rows,
  columns,
  onChange,
}: {
  rows: readonly Row[];
  columns: readonly GridColumn<Row>[];
  onChange: (rows: readonly Row[]) => void;
}) {
  const { t } = useTranslation();
  const [find, setFind] = useState('');
  const [by, setBy] = useState('');
  const [changed, setChanged] = useState<number>();
  return (
    <Flex className="sp-edit-grid-toolbar" columnGap={{ default: 'columnGapSm' }}>
      <TextInput
        aria-label={t('grid.find')}
        placeholder={t('grid.find')}
        value={find}
        onChange={(_event, text) => setFind(text)}
      />
      <TextInput
        aria-label={t('grid.replace_by')}
        placeholder={t('grid.replace_by')}
        value={by}
        onChange={(_event, text) => setBy(text)}
      />
      <Button
        variant="secondary"
        size="sm"
        isDisabled={find === ''}
        onClick={() => {
          const replaced = replaceText(rows, columns, find, by);
          setChanged(replaced.changed);
          if (replaced.changed > 0) onChange(replaced.rows);
        }}
      >
        {t('grid.replace_all')}
      </Button>
      <FlexItem role="status">{changed === undefined ? '' : t('grid.replaced', { count: changed })}</FlexItem>
    </Flex>
  );
}
