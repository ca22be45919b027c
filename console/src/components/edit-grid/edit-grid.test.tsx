import { jest } from '@jest/globals';
import { createEvent, fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { renderPart, violations } from '../../../test/render-app.tsx';
import { EditGrid } from './edit-grid.tsx';
import type { GridColumn } from './grid-column.ts';

interface Row {
  name: string;
  well: string;
}
/** jsdom draws nothing: the rows in view are those of this height. */
beforeEach(() => {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(480);
  jest.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(800);
});

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
    key: 'well',
    title: 'Well',
    width: 100,
    kind: 'text',
    read: (row) => row.well,
    write: (row, well) => ({ ...row, well }),
  },
];

function Sheet({ first }: { first: Row[] }) {
  const [rows, setRows] = useState<readonly Row[]>(first);
  const problems = rows.flatMap(({ well }, row) =>
    well === '' ? [{ row, column: 'well', message: 'Enter a well.' }] : [],
  );
  return (
    <EditGrid
      label="Samples"
      columns={columns}
      rows={rows}
      onChange={setRows}
      newRow={() => ({ name: '', well: '' })}
      problems={problems}
    />
  );
}
const grid = () => screen.getByRole('grid', { name: 'Samples' });
const cells = () =>
  within(grid())
    .getAllByRole('gridcell')
    .map((cell) => cell.textContent);
const two = [
  { name: 'A', well: 'A1' },
  { name: 'B', well: '' },
];

function paste(text: string) {
  const event = createEvent.paste(grid(), { clipboardData: { getData: () => text } });
  fireEvent(grid(), event);
}

test('typing replaces the cell, Enter goes down, Escape drops the text', async () => {
  const { user } = await renderPart(<Sheet first={two} />);
  grid().focus();
  await user.keyboard('Xy{Enter}Z{Escape}');
  expect(cells()).toEqual(['Xy', 'A1', 'B', '']);
  await user.keyboard('{F2}{End}2{Enter}');
  expect(cells()).toEqual(['Xy', 'A1', 'B2', '']);
});

test('a paste from a spreadsheet adds rows, undo takes it back and redo repeats it', async () => {
  const { user } = await renderPart(<Sheet first={two} />);
  grid().focus();
  await user.keyboard('{ArrowDown}');
  paste('C\tB1\r\nD\tC1\r\n');
  expect(cells()).toEqual(['A', 'A1', 'C', 'B1', 'D', 'C1']);
  await user.keyboard('{Control>}z{/Control}');
  expect(cells()).toEqual(['A', 'A1', 'B', '']);
  await user.click(screen.getByRole('button', { name: 'Redo' }));
  expect(cells()).toEqual(['A', 'A1', 'C', 'B1', 'D', 'C1']);
});

test('a wrong cell says why, and the list of problems leads to it', async () => {
  const { user } = await renderPart(<Sheet first={two} />);
  const wrong = within(grid()).getAllByRole('gridcell')[3] as HTMLElement;
  expect(wrong).toHaveAttribute('aria-description', 'Enter a well.');
  expect(wrong).toHaveAttribute('aria-invalid', 'true');
  await user.click(screen.getByRole('button', { name: '1 problem' }));
  expect(grid()).toHaveFocus();
  await user.keyboard('H12{Enter}');
  expect(cells()).toEqual(['A', 'A1', 'B', 'H12']);
  expect(screen.queryByRole('button', { name: /problem/ })).toBeNull();
});

test('selected rows are filled down and deleted', async () => {
  const { user } = await renderPart(<Sheet first={[...two, { name: 'C', well: 'C1' }]} />);
  grid().focus();
  await user.keyboard('{ArrowRight}{Shift>}{ArrowDown}{/Shift}{Control>}d{/Control}');
  expect(cells()).toEqual(['A', 'A1', 'B', 'A1', 'C', 'C1']);
  await user.click(screen.getByRole('button', { name: 'Delete 2 rows' }));
  expect(cells()).toEqual(['C', 'C1']);
  expect(await violations()).toEqual([]);
});

test('of 5,000 rows only those in view are drawn', async () => {
  await renderPart(<Sheet first={Array.from({ length: 5000 }, (_, index) => ({ name: `S${index}`, well: 'A1' }))} />);
  expect(grid()).toHaveAttribute('aria-rowcount', '5001');
  expect(within(grid()).getAllByRole('row').length).toBeLessThan(60);
});
