import { screen, within } from '@testing-library/react';
import { buildDefinition, launchApi } from '../../../test/launch.ts';
import { renderApp, violations } from '../../../test/render-app.tsx';

const PREVIEW = '/secondary-analysis/launch/preview?from=task-1';
const rows = () =>
  within(screen.getByRole('grid', { name: 'Samples' }))
    .getAllByRole('row')
    .slice(1) as HTMLTableRowElement[];
const textOf = (row: HTMLTableRowElement | undefined) => [...(row?.cells ?? [])].map((cell) => cell.textContent);
const fact = async (term: string) =>
  (await screen.findByText(term, { selector: 'dt *' })).closest('dt')?.nextElementSibling as HTMLElement;

test('[LAUNCH-41] the preview shows name, project, panel, parameters file, samples with files, pair, CNV normal and emails', async () => {
  await renderApp(PREVIEW, { api: launchApi() });
  expect(await screen.findByRole('textbox', { name: /^Run name/ })).toHaveValue('run-7');
  expect(screen.getByRole('textbox', { name: 'Notification emails' })).toHaveValue('mei@lab.example, wu@lab.example');
  expect(await within(await fact('Project')).findByText('run_1')).toBeVisible();
  expect(await within(await fact('Panel')).findByText('Lung panel (lung)')).toBeVisible();
  expect(await within(await fact('Parameters file')).findByText('strict')).toBeVisible();
  expect(rows().map(textOf)).toEqual([
    [
      'T1',
      'lib-T1',
      'Sample',
      'tumor',
      'pair-1',
      '–',
      '12.5',
      'T1_S1_L001_R1_001.fastq.gz, T1_S1_L001_R2_001.fastq.gz',
    ],
    [
      'N1',
      'lib-N1',
      'Sample',
      'normal',
      'pair-1',
      'yes',
      '–',
      'N1_S2_L001_R1_001.fastq.gz, N1_S2_L001_R2_001.fastq.gz',
    ],
  ]);
  expect(
    screen.getByRole('heading', { name: '2 samples on Lung panel; pairs: 1, CNV normals: 1, NTC: 0, PosCtrl: 0' }),
  ).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('a normal of two tumors shows both pairs', async () => {
  const [tumor, normal] = buildDefinition().samples;
  const files = tumor!.files.map((file) => ({ ...file, name: file.name.replace('T1_S1', 'NTC_S3') }));
  const definition = buildDefinition({
    samples: [tumor!, { ...tumor!, name: 'T2', files }, normal!],
    pairs: ['1', '2'].map((n) => ({ name: `pair-${n}`, tumor: `T${n}`, normal: 'N1' })),
  });
  await renderApp(PREVIEW, { api: launchApi(definition) });
  await within(await fact('Panel')).findByText('Lung panel (lung)');
  expect(rows().map((row) => textOf(row)[4])).toEqual(['pair-1', 'pair-2', 'pair-1, pair-2']);
});
