import { screen, waitFor } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { buildFile, buildProject } from '../../../test/projects.ts';
import { fakeApi, renderApp } from '../../../test/render-app.tsx';
import { beginWithFiles } from './use-draft.ts';

const project = buildProject();
const panel = { id: 'p1', value: 'panel', display_name: 'Panel', active: true, valid: true, ready: true, amplicons: 1 };
const launchApi = () =>
  fakeApi()
    .on('GET /api/v1/pivat/*/projects', { count: 1, results: [project] })
    .on('GET /api/v1/pivat/*/projects/*/filelist', { count: 1, results: [buildFile('S1_R1.fastq.gz')] })
    .on('GET /api/v1/pivat/*/panel-types', { count: 1, results: [panel] });

test('Next leads to the summary of what is wrong where the step is not in order', async () => {
  const view = await renderApp('/secondary-analysis/launch/start-from', { api: launchApi() });
  await view.user.click(await screen.findByRole('button', { name: 'Next' }));
  const summary = (await screen.findByText(/Please fix the form errors/)).closest('[tabindex="-1"]');
  await waitFor(() => expect(summary).toHaveFocus());
});

test('Next leads to the heading of the new step', async () => {
  const view = await renderApp('/dashboard', { api: launchApi() });
  beginWithFiles(GROUP_A, project.id, []);
  await view.router.navigate('/secondary-analysis/launch/start-from');
  await waitFor(() => expect(document.getElementById('launch-panel')).not.toBeNull());
  await view.user.click(document.getElementById('launch-panel') as HTMLElement);
  await view.user.click(await screen.findByRole('option', { name: /^Panel/ }));
  await view.user.click(screen.getByRole('button', { name: 'Next' }));
  await waitFor(() => expect(view.at()).toMatch(/^\/secondary-analysis\/launch\/select-files/));
  await waitFor(() => expect(screen.getByRole('heading', { level: 2, name: 'Select files' })).toHaveFocus());
});
