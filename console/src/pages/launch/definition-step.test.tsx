import { screen, waitFor, within } from '@testing-library/react';
import { buildDefinition, launchApi } from '../../../test/launch.ts';
import { renderApp, violations } from '../../../test/render-app.tsx';

/** Step 3 with the samples of an earlier launch. */
async function openDefinition(definition = buildDefinition()) {
  const view = await renderApp('/secondary-analysis/launch/edit-definition?from=task-1', {
    api: launchApi(definition),
  });
  await screen.findByRole('grid', { name: 'Edit definition' });
  await within(rowOf('T1')).findByText('Lung panel');
  return view;
}
const rows = () =>
  within(screen.getByRole('grid', { name: 'Edit definition' }))
    .getAllByRole('row')
    .slice(1);
const rowOf = (name: string) =>
  screen.getByRole('textbox', { name: `Sample name: ${name}` }).closest('tr') as HTMLTableRowElement;
const names = () =>
  screen.getAllByRole('textbox', { name: /^Sample name/ }).map((field) => field.getAttribute('value'));
/** The cell of a sample under the column of this title. */
function cellOf(name: string, column: string): HTMLElement {
  const titles = screen.getAllByRole('columnheader').map((header) => header.textContent);
  expect(titles).toContain(column);
  return rowOf(name).cells[titles.indexOf(column)] as HTMLElement;
}

test('[LAUNCH-19] each sample shows its name, library, type, panel, parameters file, files, pair, CNV normal, tumor content and skipped', async () => {
  const view = await openDefinition();
  expect(rows()).toHaveLength(3);
  expect(within(cellOf('T1', 'Sample name')).getByRole('textbox')).toHaveValue('T1');
  expect(within(cellOf('T1', 'Library ID')).getByRole('textbox')).toHaveValue('lib-T1');
  expect(within(cellOf('NTC', 'Sample type')).getByRole('combobox')).toHaveValue('NTC');
  expect(within(cellOf('T1', 'Role')).getByRole('combobox')).toHaveDisplayValue('tumor');
  expect(cellOf('T1', 'Panel')).toHaveTextContent('Lung panel');
  expect(await within(cellOf('T1', 'Parameters file')).findByText('strict')).toBeVisible();
  const files = within(cellOf('T1', 'Files'));
  await view.user.click(files.getByText('2 files'));
  expect(files.getByText('T1_S1_L001_R1_001.fastq.gz')).toBeVisible();
  expect(files.getByText('T1_S1_L001_R2_001.fastq.gz')).toBeVisible();
  const pair = within(cellOf('T1', 'Pair'));
  expect(pair.getByRole('combobox', { name: 'Normal: T1' })).toHaveDisplayValue('N1');
  expect(pair.getByRole('textbox', { name: 'Pair name: T1' })).toHaveValue('pair-1');
  expect(within(cellOf('N1', 'CNV normal')).getByRole('checkbox')).toBeChecked();
  expect(within(cellOf('T1', 'CNV normal')).getByRole('checkbox')).not.toBeChecked();
  expect(within(cellOf('T1', 'Tumor content %')).getByRole('textbox')).toHaveValue('12.5');
  expect(within(cellOf('T1', 'Skipped')).getByRole('button')).toHaveTextContent('Skip');
  expect(within(cellOf('NTC', 'Skipped')).getByRole('button')).toHaveTextContent('Restore');
  expect(await violations()).toEqual([]);
});

test('[LAUNCH-20] the sample type is Sample, NTC, NegCtrl or PosCtrl, and the role germline, tumor, normal or control', async () => {
  const view = await openDefinition();
  const type = within(cellOf('T1', 'Sample type')).getByRole('combobox');
  expect(
    within(type)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['Sample', 'NTC', 'NegCtrl', 'PosCtrl']);
  const role = within(cellOf('T1', 'Role')).getByRole('combobox');
  expect(
    within(role)
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual(['germline', 'tumor', 'normal', 'control']);
  await view.user.selectOptions(type, 'PosCtrl');
  await view.user.selectOptions(role, 'control');
  await view.user.click(screen.getByRole('button', { name: 'Next' }));
  const row = within(await screen.findByRole('grid', { name: 'Samples' })).getByRole('rowheader', { name: 'T1' });
  expect(row.closest('tr')).toHaveTextContent(/PosCtrl.*control/);
});

test('[LAUNCH-33] the list shows all samples or the active ones only', async () => {
  const view = await openDefinition();
  expect(names()).toEqual(['T1', 'N1', 'NTC']);
  await view.user.click(screen.getByRole('button', { name: 'Active only' }));
  expect(names()).toEqual(['T1', 'N1']);
  await view.user.click(screen.getByRole('button', { name: 'All samples' }));
  expect(names()).toEqual(['T1', 'N1', 'NTC']);
});

test('[LAUNCH-34] a sample without files stops the wizard until it is removed', async () => {
  const [tumor, normal] = buildDefinition().samples;
  const view = await openDefinition(
    buildDefinition({ samples: [tumor!, normal!, { ...normal!, name: 'empty', files: [] }] }),
  );
  expect(cellOf('empty', 'Files')).toHaveTextContent(
    'Please choose some sample files. empty has none: remove it or add files.',
  );
  await view.user.click(screen.getByRole('button', { name: 'Next' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('empty');
  expect(view.at()).toContain('/launch/edit-definition');
  await view.user.click(screen.getByRole('button', { name: 'Remove: empty' }));
  expect(names()).toEqual(['T1', 'N1']);
  await view.user.click(screen.getByRole('button', { name: 'Next' }));
  await waitFor(() => expect(view.at()).toContain('/launch/preview'));
});
