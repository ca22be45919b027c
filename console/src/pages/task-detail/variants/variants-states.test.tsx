import { act, screen, within } from '@testing-library/react';
import { recordedError } from '../../../../test/recorded/recorded.ts';
import { fakeApi, renderApp } from '../../../../test/render-app.tsx';
import { buildTask } from '../../../../test/tasks.ts';
import type { VariantColumn, VariantRow } from '../../../queries/results.ts';

const TASK = 'GET /api/v1/pivat/*/tasks/*';
const task = buildTask();
const GENE: VariantColumn = {
  key: 'gene',
  type: 'text',
  title: 'gene',
  help: '',
  sortable: true,
  filterable: true,
  facet: null,
};
const ROW: Partial<VariantRow> = {
  id: '0-a',
  allele_key: 'a',
  sample: 'S1',
  chrom: 'chr7',
  pos: 55_191_822,
  ref: 'T',
  alt: 'G',
  type: 'SNV',
  length: 1,
  gene: 'EGFR',
  filter: [],
  pass: true,
};

/** The variants of a task; the test gives the answers to the call for the rows. */
async function openVariants(all: number) {
  const answers: ((answer: unknown) => void)[] = [];
  const funnel = { all, called: all, kept: all };
  const api = fakeApi()
    .on(TASK, task)
    .on(`${TASK}/samples`, { count: 0, results: [] })
    .on('GET /api/v1/pivat/variant-columns', { results: [GENE] })
    .on(`${TASK}/variants/facets`, { count: all, funnel, values: {}, ranges: {} })
    .on(`${TASK}/variants`, () => new Promise((resolve) => answers.push(resolve)));
  const view = await renderApp(`/secondary-analysis/tasks/${task.id}?tab=variants`, { api });
  expect(await screen.findAllByText('Loading')).not.toHaveLength(0);
  return { view, api, answer: (body: unknown) => act(async () => answers.shift()?.(body)) };
}

test('[ERR-78] the list of variants shows that it is fetching, has failed and is fetched', async () => {
  const { view, api, answer } = await openVariants(1);
  await answer(recordedError('internal_error'));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('The variants could not be loaded.');
  expect(alert).toHaveTextContent('500 Internal Server Error');
  expect(screen.queryByText('Loading')).toBeNull();
  await view.user.click(within(alert).getByRole('button', { name: 'Retry' }));
  expect(api.called(`${TASK}/variants`)).toHaveLength(2);
  await answer({ count: 1, total: 1, results: [ROW] });
  // The header and one row; the grid draws the rows in its window, which has no height in jsdom.
  expect(await screen.findByRole('grid', { name: 'Variants' })).toHaveAttribute('aria-rowcount', '2');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByText('Loading')).toBeNull();
});

test('[ERR-70] a task without variants says that no data was found', async () => {
  const { answer } = await openVariants(0);
  await answer({ count: 0, total: 0, results: [] });
  expect(await screen.findByText('No data found.')).toBeVisible();
});
