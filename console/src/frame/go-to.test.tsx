import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../test/profiles.ts';
import { buildProject } from '../../test/projects.ts';
import { fakeApi, renderApp, violations } from '../../test/render-app.tsx';
import { recentPlaces, rememberPlace } from '../hooks/recents.ts';

const TASK = { id: '6f1c7f0e-3f4f-4d3e-9d1e-0c8f1a2b3c4d', name: 'brca_run' };

const goToApi = () =>
  fakeApi()
    .on('GET /api/v1/pivat/*/tasks', { count: 1, results: [TASK] })
    .on('GET /api/v1/pivat/*/projects', { count: 2, results: [buildProject({ name: 'brca_2026' }), buildProject()] });

test('"/" finds tasks and projects by the typed text, and Enter opens the one selected with the arrow keys', async () => {
  const view = await renderApp('/dashboard', { api: goToApi() });
  await screen.findByRole('heading', { level: 1 });
  await view.user.keyboard('/');
  const dialog = await screen.findByRole('dialog', { name: 'Go to…' });
  const search = within(dialog).getByRole('textbox', { name: 'Task name or ID, sample, project' });
  expect(search).toHaveFocus();
  await view.user.type(search, 'BRCA');
  await within(dialog).findByText('2 found');
  expect(
    within(dialog)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(['brca_runTask', 'brca_2026Project']);
  expect(view.api.called('GET /api/v1/pivat/*/tasks').at(-1)?.query.get('q')).toBe('BRCA');
  expect(await violations(dialog)).toEqual([]);
  await view.user.keyboard('{ArrowDown}{ArrowUp}{Enter}');
  await waitFor(() => expect(view.at()).toBe(`/secondary-analysis/tasks/${TASK.id}?group=${GROUP_A}`));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('recently opened items are listed newest first, once, and in their group only', () => {
  window.sessionStorage.clear();
  const place = (name: string, group = 'g1') => ({
    kind: 'project' as const,
    to: `/tools/projects/${name}`,
    name,
    group,
  });
  for (const name of ['a', 'b', 'a']) rememberPlace(place(name));
  rememberPlace(place('c', 'g2'));
  expect(recentPlaces('g1').map(({ name }) => name)).toEqual(['a', 'b']);
  window.sessionStorage.setItem('seqpanel.recent', '{broken');
  expect(recentPlaces('g1')).toEqual([]);
});
