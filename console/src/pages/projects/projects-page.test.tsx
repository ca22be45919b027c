import { act, screen, waitFor, within } from '@testing-library/react';
import type { FakeApi } from '../../../test/fake-api.ts';
import { GROUP_A, GROUP_B } from '../../../test/profiles.ts';
import { buildProject } from '../../../test/projects.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import type { Project } from '../../queries/projects.ts';

const PROJECTS = '/api/v1/pivat/*/projects';

/** A server that keeps projects. */
function projectsApi(projects: Project[]): FakeApi {
  return fakeApi()
    .on(`GET ${PROJECTS}`, () => ({ count: projects.length, results: projects }))
    .on(`POST ${PROJECTS}`, ({ body }) => {
      const made = buildProject({
        id: crypto.randomUUID(),
        name: (body as Project).name,
        files: 0,
        fastqs: 0,
        size: 0,
      });
      projects.push(made);
      return made;
    })
    .on(`PUT ${PROJECTS}`, ({ body }) => {
      const { id, name } = body as Project;
      const found = projects.find((project) => project.id === id) as Project;
      found.name = name;
      return found;
    })
    .on(`POST ${PROJECTS}/*/delete`, ({ path }) => {
      projects.splice(
        projects.findIndex(({ id }) => path.includes(id)),
        1,
      );
      return null;
    });
}
const many = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    buildProject({ id: `55555555-5555-4555-8555-${String(i).padStart(12, '0')}`, name: `run_${i + 1}` }),
  );
const names = () =>
  within(screen.getByRole('grid', { name: 'Data management' }))
    .getAllByRole('rowheader')
    .map((cell) => cell.textContent);
const openMenu = async (view: Awaited<ReturnType<typeof renderApp>>, name: string) =>
  view.user.click(await screen.findByRole('button', { name: `Actions for ${name}` }));

test('[PROJ-01] the projects of the group are listed with name, date and number of fastqs', async () => {
  const view = await renderApp('/tools/projects', { api: projectsApi([buildProject()]) });
  const row = (await screen.findByRole('rowheader', { name: 'run_1' })).closest('tr') as HTMLElement;
  expect(within(row).getByRole('time')).toHaveTextContent('2026-11-01 08:09:10');
  expect(within(row).getByText('5')).toBeVisible();
  expect(view.api.called(`GET ${PROJECTS}`)[0]).toMatchObject({ path: `/api/v1/pivat/${GROUP_A}/projects` });
  expect(view.api.called(`GET ${PROJECTS}`)[0]?.query.get('page_size')).toBe('99999');
  expect(await violations()).toEqual([]);
});

test('[I18N-01] the list is in Chinese when Chinese is chosen', async () => {
  await renderApp('/tools/projects', { api: projectsApi([buildProject()]), language: 'zh' });
  expect(await screen.findByRole('heading', { level: 1, name: '数据管理' })).toBeVisible();
  expect(screen.queryByText(/projects\.|common\.|table\./)).toBeNull();
  expect(await violations()).toEqual([]);
});

test('an empty list of projects describes the list and has a button to add a project', async () => {
  const view = await renderApp('/tools/projects', { api: projectsApi([]) });
  expect(await screen.findByText('No project yet')).toBeVisible();
  await view.user.click(screen.getAllByRole('button', { name: 'Add project' })[1] as HTMLElement);
  expect(await screen.findByRole('dialog')).toBeVisible();
});

test('[PROJ-02] a project is created by name and appears in the list', async () => {
  const view = await renderApp('/tools/projects', { api: projectsApi([buildProject()]) });
  await view.user.click(await screen.findByRole('button', { name: 'Add project' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.type(dialog.getByLabelText(/^Name/), 'run_2');
  await view.user.click(dialog.getByRole('button', { name: 'Add project' }));
  expect(await screen.findByRole('rowheader', { name: 'run_2' })).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test.each([
  ['[PROJ-03]', 'run 2', 'letters, digits, dashes and underscores only'],
  ['[ERR-50]', 'run_1', 'The project name already exists.'],
])('%s the name "%s" is refused before a call', async (_row, name, message) => {
  const view = await renderApp('/tools/projects', { api: projectsApi([buildProject()]) });
  await view.user.click(await screen.findByRole('button', { name: 'Add project' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.type(dialog.getByLabelText(/^Name/), name);
  await view.user.click(dialog.getByRole('button', { name: 'Add project' }));
  expect(await dialog.findByText(new RegExp(message))).toBeVisible();
  expect(view.api.called(`POST ${PROJECTS}`)).toHaveLength(0);
});

test('[ERR-53] [ERR-50] a creation that the server rejects shows the error in the form, with the id to quote', async () => {
  const api = projectsApi([buildProject()]).on(`POST ${PROJECTS}`, () => recordedError('project_name_exists'));
  const view = await renderApp('/tools/projects', { api });
  await view.user.click(await screen.findByRole('button', { name: 'Add project' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.type(dialog.getByLabelText(/^Name/), 'other');
  await view.user.click(dialog.getByRole('button', { name: 'Add project' }));
  expect(await dialog.findByText('The project could not be created.', { exact: false })).toBeVisible();
  expect(dialog.getByText('The project name already exists.')).toBeVisible();
  expect(dialog.getByText(/7F3K-2Q9D/)).toBeVisible();
});

test('[PROJ-04] [ERR-51] a project is renamed; an unchanged name is rejected', async () => {
  const view = await renderApp('/tools/projects', { api: projectsApi([buildProject()]) });
  await openMenu(view, 'run_1');
  await view.user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await dialog.findByText('The new name is the same as the old name.')).toBeVisible();
  await view.user.type(dialog.getByLabelText(/^Name/), 'b');
  await view.user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await screen.findByRole('rowheader', { name: 'run_1b' })).toBeVisible();
});

test('[ERR-54] a rename that the server rejects shows the error in the form', async () => {
  const api = projectsApi([buildProject()]).on(`PUT ${PROJECTS}`, () => recordedError('internal_error'));
  const view = await renderApp('/tools/projects', { api });
  await openMenu(view, 'run_1');
  await view.user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.type(dialog.getByLabelText(/^Name/), 'b');
  await view.user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await dialog.findByText('The project could not be renamed.', { exact: false })).toBeVisible();
  expect(dialog.getByText('500 Internal Server Error')).toBeVisible();
});

test('[ERR-79] the rename of a project shows that it is updating, has failed and is updated', async () => {
  const answers: ((answer: unknown) => void)[] = [];
  const api = projectsApi([buildProject()]).on(
    `PUT ${PROJECTS}`,
    () => new Promise((resolve) => answers.push(resolve)),
  );
  const view = await renderApp('/tools/projects', { api });
  await openMenu(view, 'run_1');
  await view.user.click(await screen.findByRole('menuitem', { name: 'Rename' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.type(dialog.getByLabelText(/^Name/), 'b');
  expect(dialog.queryByRole('progressbar')).toBeNull();
  await view.user.click(dialog.getByRole('button', { name: 'Rename' }));
  expect(await dialog.findByRole('progressbar')).toBeVisible();
  await act(async () => answers.shift()?.(recordedError('internal_error')));
  expect(await dialog.findByRole('alert')).toHaveTextContent('The project could not be renamed.');
  expect(dialog.queryByRole('progressbar')).toBeNull();
  await view.user.click(dialog.getByRole('button', { name: 'Rename' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  await act(async () => answers.shift()?.(buildProject({ name: 'run_1b' })));
  expect(await screen.findByText(/run_1b/)).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('[PROJ-05] a project with files is deleted only after its name was typed', async () => {
  const view = await renderApp('/tools/projects', {
    api: projectsApi([buildProject(), buildProject({ id: crypto.randomUUID(), name: 'keep' })]),
  });
  await openMenu(view, 'run_1');
  await view.user.click(await screen.findByRole('menuitem', { name: 'Delete project' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/6 files are deleted and 3\.0 GB are freed/)).toBeVisible();
  const button = dialog.getByRole('button', { name: 'Delete project' });
  expect(button).toHaveAttribute('aria-disabled', 'true');
  await view.user.click(button);
  expect(view.api.called(`POST ${PROJECTS}/*/delete`)).toHaveLength(0);
  await view.user.type(dialog.getByLabelText('Type run_1 to confirm'), 'run_1');
  await view.user.click(button);
  await waitFor(() => expect(names()).toEqual(['keep']));
});

test('[ERR-55] a rejected deletion shows the reason', async () => {
  const api = projectsApi([buildProject({ files: 0 })]).on(
    `POST ${PROJECTS}/*/delete`,
    recordedError('project_in_use'),
  );
  const view = await renderApp('/tools/projects', { api });
  await openMenu(view, 'run_1');
  await view.user.click(await screen.findByRole('menuitem', { name: 'Delete project' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.click(dialog.getByRole('button', { name: 'Delete project' }));
  expect(
    await dialog.findByText(
      'A running task uses files of this project. Wait until the task has finished, or abort it.',
    ),
  ).toBeVisible();
});

test('the address is the only state of the list: sort, page and search are read from it and written to it', async () => {
  const view = await renderApp('/tools/projects?sort=name&perPage=5&page=2', { api: projectsApi(many(12)) });
  await screen.findByRole('rowheader', { name: 'run_6' });
  expect(names()).toEqual(['run_6', 'run_7', 'run_8', 'run_9', 'run_10']);
  await view.user.click(screen.getAllByRole('button', { name: 'Go to the next page' })[0] as HTMLElement);
  await waitFor(() => expect(names()).toEqual(['run_11', 'run_12']));
  expect(view.at()).toBe('/tools/projects?sort=name&page=3&perPage=5');
  await view.user.type(screen.getByLabelText('Search name or owner'), 'run_12');
  await waitFor(() => expect(view.at()).toBe('/tools/projects?q=run_12&sort=name&perPage=5'));
  await waitFor(() => expect(names()).toEqual(['run_12']));
});

test('unknown values are removed from the address', async () => {
  const view = await renderApp('/tools/projects?sort=evil&page=-1&perPage=7&dir=up', { api: projectsApi(many(2)) });
  await waitFor(() => expect(view.at()).toBe('/tools/projects'));
});

test('a search without matches names the filters and clears them', async () => {
  const view = await renderApp('/tools/projects?q=nothing', { api: projectsApi(many(2)) });
  expect(await screen.findByText(/hidden by: “nothing”/)).toBeVisible();
  await view.user.click(screen.getByRole('button', { name: 'Clear filters' }));
  await waitFor(() => expect(names()).toHaveLength(2));
});

test('[ERR-78] a list that failed to load shows error, id and a retry that works', async () => {
  let isBroken = true;
  const api = projectsApi([buildProject()]).on(`GET ${PROJECTS}`, () =>
    isBroken ? recordedError('internal_error') : { count: 1, results: [buildProject()] },
  );
  const view = await renderApp('/tools/projects', { api });
  expect(await screen.findByText('The projects could not be loaded.')).toBeVisible();
  expect(screen.getByText('GET failed: 500 Internal Server Error')).toBeVisible();
  expect(screen.getByText(/7F3K-2Q9D/)).toBeVisible();
  isBroken = false;
  await view.user.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('rowheader', { name: 'run_1' })).toBeVisible();
});

test('the calls use the group in the address, but not a group of other users', async () => {
  const view = await renderApp(`/tools/projects?group=${GROUP_B}`, { api: projectsApi([buildProject()]) });
  expect((await screen.findByRole('link', { name: 'run_1' })).getAttribute('href')).toContain(`?group=${GROUP_B}`);
  expect(view.api.called(`GET ${PROJECTS}`)[0]?.path).toContain(GROUP_B);
});
