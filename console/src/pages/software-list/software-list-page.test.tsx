import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import { listPackages, listTools } from '../../../scripts/software-list.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';

const ROOT = join(__dirname, '..', '..', '..', '..');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');
/** The list that the build makes. */
const list = () => ({
  pipeline: listTools(read('pipeline-images', 'debian-packages.txt')),
  web: listPackages(read('package-lock.json')),
});
const cellsOf = (table: HTMLElement, name: string) =>
  within(within(table).getByRole('rowheader', { name }).closest('tr') as HTMLElement)
    .getAllByRole('cell')
    .map((cell) => cell.textContent);

test('[HELP-08] the software list is public and shows the tools and packages of the product with version and license', async () => {
  const made = list();
  const api = fakeApi().on('GET /software.json', made);
  const view = await renderApp('/software-list?q=react-router', { profile: null, api });
  expect(await screen.findByRole('heading', { level: 1, name: 'Open-source software list' })).toBeVisible();
  const tools = screen.getByRole('grid', { name: 'Tools of the pipeline' });
  expect(await within(tools).findAllByRole('rowheader')).toHaveLength(made.pipeline.length);
  expect(cellsOf(tools, 'samtools')).toEqual(['1.16.1-1', 'MIT', 'Alignment and BAM files']);
  const packages = screen.getByRole('grid', { name: 'Packages of the web platform' });
  const router = made.web.find(({ name }) => name === 'react-router')!;
  expect(cellsOf(packages, 'react-router')).toEqual([router.version, 'MIT']);
  expect(view.at()).toBe('/software-list?q=react-router');
  expect(api.calls.map(({ path }) => path)).toEqual(['/software.json']);
  expect(await violations()).toEqual([]);
});
