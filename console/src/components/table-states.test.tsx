import { act, screen, within } from '@testing-library/react';
import { buildAdminTask, buildPool, buildTaskResult, buildWorker } from '../../test/admin.ts';
import { buildProfile } from '../../test/profiles.ts';
import { buildFile, buildProject } from '../../test/projects.ts';
import { recordedError } from '../../test/recorded/recorded.ts';
import { fakeApi, renderApp } from '../../test/render-app.tsx';
import { buildTask } from '../../test/tasks.ts';

const GROUP = '/api/v1/pivat/*';
const ADMIN = '/api/v1/pivat/admin';
const PROJECT = buildProject();

/** A list of the console: its page, the call that fills it, one row of the answer, and the text of that row. */
interface List {
  path: string;
  call: string;
  row: object;
  shown: string;
  failed: string;
}
const LISTS: Record<string, List> = {
  tasks: {
    path: '/secondary-analysis/tasks',
    call: `GET ${GROUP}/tasks`,
    row: buildTask({ name: 'run-1' }),
    shown: 'run-1',
    failed: 'The tasks could not be loaded.',
  },
  projects: {
    path: '/tools/projects',
    call: `GET ${GROUP}/projects`,
    row: PROJECT,
    shown: 'run_1',
    failed: 'The projects could not be loaded.',
  },
  'project files': {
    path: `/tools/projects/${PROJECT.id}`,
    call: `GET ${GROUP}/projects/*/filelist`,
    row: buildFile('S1_R1.fastq.gz'),
    shown: 'S1_R1.fastq.gz',
    failed: 'The project could not be loaded.',
  },
  'tasks of all groups': {
    path: '/system-settings/tasks',
    call: `GET ${ADMIN}/tasks`,
    row: buildAdminTask({ name: 'run-2' }),
    shown: 'run-2',
    failed: 'The tasks could not be loaded.',
  },
  workers: {
    path: '/system-settings/tasks?tab=workers',
    call: `GET ${ADMIN}/workers`,
    row: buildWorker(),
    shown: 'i-0123456789',
    failed: 'The workers could not be loaded.',
  },
  'task results': {
    path: '/system-settings/tasks?tab=results',
    call: `GET ${ADMIN}/task_results`,
    row: buildTaskResult(),
    shown: 'S2: the gzip file is cut',
    failed: 'The task results could not be loaded.',
  },
};
const staff = buildProfile({ is_staff: true });
/** Lists of the admin area. */
const ADMIN_LISTS = Object.entries(LISTS).filter(([, { path }]) => path.startsWith('/system-settings'));

/** The page of a list, with an api whose answer the test gives. */
async function openList({ path, call }: List) {
  const answers: ((answer: unknown) => void)[] = [];
  const api = fakeApi(staff)
    .on(`GET ${GROUP}/projects/*`, PROJECT)
    .on(`GET ${ADMIN}/worker_pools`, { results: [buildPool()] })
    .on(call, () => new Promise((resolve) => answers.push(resolve)));
  const view = await renderApp(path, { profile: staff, api });
  await screen.findByRole('heading', { level: 1 });
  await act(async () => undefined);
  return { view, api, answer: (body: unknown) => act(async () => answers.shift()?.(body)) };
}
const isLoading = () => screen.queryAllByText('Loading').length > 0;

test.each(Object.entries(LISTS))(
  '[ERR-78] the list of %s shows that it is fetching, has failed and is fetched',
  async (_name, list) => {
    const { view, api, answer } = await openList(list);
    expect(await screen.findAllByText('Loading')).not.toHaveLength(0);
    expect(screen.queryByRole('alert')).toBeNull();
    await answer(recordedError('internal_error'));
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent(list.failed);
    expect(alert).toHaveTextContent('500 Internal Server Error');
    expect(isLoading()).toBe(false);
    await view.user.click(within(alert).getByRole('button', { name: 'Retry' }));
    expect(api.called(list.call)).toHaveLength(2);
    await answer({ count: 1, results: [list.row] });
    expect(await screen.findByText(list.shown)).toBeVisible();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(isLoading()).toBe(false);
  },
);

test.each(ADMIN_LISTS)('[ERR-75] a failed fetch of the %s names them', async (_name, list) => {
  const { answer } = await openList(list);
  await answer(recordedError('internal_error'));
  expect(await screen.findByRole('heading', { level: 2, name: list.failed })).toBeVisible();
});

test('[ERR-75] a failed fetch of the worker pools names them', async () => {
  const api = fakeApi(staff)
    .on(`GET ${ADMIN}/worker_pools`, recordedError('internal_error'))
    .on(`GET ${ADMIN}/workers`, { count: 1, results: [buildWorker()] });
  await renderApp('/system-settings/tasks?tab=workers', { profile: staff, api });
  expect(await screen.findByRole('alert')).toHaveTextContent('The worker pools could not be loaded.');
  expect(await screen.findByText('i-0123456789')).toBeVisible();
});

test.each(Object.entries(LISTS))('[ERR-70] an empty list of %s says that no data was found', async (_name, list) => {
  const { answer } = await openList(list);
  await answer({ count: 0, results: [] });
  expect(await screen.findByText('No data found.')).toBeVisible();
  expect(screen.queryByRole('alert')).toBeNull();
});
