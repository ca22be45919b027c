import { act, screen, waitFor, within } from '@testing-library/react';
import { buildAdminTask, buildPool, buildTaskResult, buildWorker } from '../../../test/admin.ts';
import type { FakeApi } from '../../../test/fake-api.ts';
import { buildProfile, GROUP_A, GROUP_B } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';

const staff = buildProfile({ is_staff: true });
const BASE = 'GET /api/v1/pivat/admin';

/** A websocket on which the test sends the server's messages. */
class FakeSocket {
  static last: FakeSocket | undefined;
  onmessage: ((event: { data: string }) => void) | null = null;
  constructor() {
    FakeSocket.last = this;
  }
  send(): void {}
  close(): void {}
}
window.WebSocket = FakeSocket as unknown as typeof WebSocket;

/** The api with one task, one worker and one task result. */
function adminApi(profile = staff): FakeApi {
  return fakeApi(profile)
    .on(`${BASE}/tasks`, { count: 1, results: [buildAdminTask()] })
    .on(`${BASE}/workers`, { count: 1, results: [buildWorker()] })
    .on(`${BASE}/worker_pools`, { results: [buildPool()] })
    .on(`${BASE}/task_results`, { count: 1, results: [buildTaskResult()] });
}
const open = (tab = '', api = adminApi()) =>
  renderApp(`/system-settings/tasks${tab && `?tab=${tab}`}`, { profile: staff, api });
const headers = () => screen.getAllByRole('columnheader').map((header) => header.textContent);

describe('access', () => {
  test('[WORK-01] the navigation of staff contains it; it has tabs for tasks, autoscale workers and task results', async () => {
    const view = await renderApp('/dashboard', { profile: staff, api: adminApi() });
    await view.user.click(await screen.findByRole('link', { name: 'Tasks and workers' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Tasks and workers' })).toBeVisible();
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual([
      'Tasks',
      'Autoscale workers',
      'Task results',
    ]);
    expect(await screen.findByRole('rowheader')).toBeVisible();
    expect(await violations()).toEqual([]);
  });

  test.each([
    ['a member', buildProfile()],
    [
      'a group admin',
      buildProfile({ groups: buildProfile().groups!.map((group) => ({ ...group, is_group_admin: true })) }),
    ],
  ])('%s comes to /error before any call, and does not see it in the navigation', async (_who, profile) => {
    const api = adminApi(profile);
    const view = await renderApp('/system-settings/tasks', { profile, api });
    await waitFor(() => expect(view.at()).toBe('/error'));
    expect(screen.queryByRole('link', { name: 'Tasks and workers' })).toBeNull();
    expect(api.calls.filter(({ path }) => path.includes('/admin/'))).toEqual([]);
  });
});

describe('tasks', () => {
  test('[WORK-02] the tasks of all groups are listed with worker and celery id; only those of the user’s groups open', async () => {
    const other = buildAdminTask({
      id: '88888888-8888-4888-8888-888888888888',
      name: 'not-mine',
      group: { id: '22222222-2222-4222-8222-222222222222', name: 'Lab X' },
      celery_id: null,
      workers: [],
    });
    const api = adminApi().on(`${BASE}/tasks`, { count: 2, results: [buildAdminTask(), other] });
    await open('', api);
    const mine = (await screen.findByRole('link', { name: 'run-1' })).closest('tr') as HTMLElement;
    expect(within(mine).getByText('Lab A')).toBeVisible();
    expect(within(mine).getByText('node-1')).toBeVisible();
    expect(within(mine).getByText(/^99999999/)).toBeVisible();
    expect(screen.getByText('not-mine')).toBeVisible();
    expect(screen.queryByRole('link', { name: 'not-mine' })).toBeNull();
    expect(screen.getByText('Lab X')).toBeVisible();
  });

  test('search, filter, sort and page are sent to the server and kept in the URL', async () => {
    const api = adminApi();
    const view = await renderApp('/system-settings/tasks?status=failed&sort=name&dir=desc&page=2&perPage=5&q=run', {
      profile: staff,
      api,
    });
    await screen.findByRole('rowheader');
    expect(Object.fromEntries(api.called(`${BASE}/tasks`)[0]!.query)).toEqual({
      page: '2',
      page_size: '5',
      sort: 'name',
      dir: 'desc',
      q: 'run',
      status: 'failed',
    });
    await view.user.click(screen.getByRole('tab', { name: 'Autoscale workers' }));
    await waitFor(() => expect(view.at()).toBe('/system-settings/tasks?tab=workers'));
  });

  test('a task is aborted after a confirmation', async () => {
    const api = adminApi().on('POST /api/v1/pivat/admin/tasks/*/abort', buildAdminTask({ status: 'aborted' }));
    const view = await open('', api);
    await view.user.click(await screen.findByRole('button', { name: 'Abort run-1' }));
    const dialog = await screen.findByRole('dialog');
    await view.user.click(within(dialog).getByRole('button', { name: 'Abort task' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(api.called('POST /api/v1/pivat/admin/tasks/*/abort')[0]?.path).toContain(buildAdminTask().id);
  });

  test('a websocket event refetches the list', async () => {
    const api = adminApi();
    await open('', api);
    await screen.findByRole('link', { name: 'run-1' });
    api.on(`${BASE}/tasks`, { count: 1, results: [buildAdminTask({ name: 'renamed' })] });
    await act(async () => {
      for (const event of [{ type: 'ready' }, { type: 'admin', task: 't', group: GROUP_B }])
        FakeSocket.last?.onmessage?.({ data: JSON.stringify(event) });
    });
    expect(await screen.findByRole('link', { name: 'renamed' })).toBeVisible();
  });
});

describe('autoscale workers', () => {
  test('[WORK-03] id, server instance id, created, queue name, cloud status, register status, register date and ip address are listed', async () => {
    await open('workers');
    const row = (await screen.findByText('i-0123456789')).closest('tr') as HTMLElement;
    expect(headers()).toEqual([
      'ID',
      'Server instance ID',
      'Created',
      'Queue name',
      'Cloud status',
      'Register status',
      'Register date',
      'IP address',
      'Running task',
      'Idle since',
    ]);
    const cells = within(row)
      .getAllByRole('cell')
      .map((cell) => cell.textContent);
    expect(within(row).getByRole('rowheader')).toHaveTextContent('aaaaaaaa');
    expect(cells).toEqual([
      'i-0123456789',
      '2026-11-01 07:00:00',
      'cpu',
      'Running',
      'Ready',
      '2026-11-01 07:01:00',
      '10.0.0.7',
      'run-1',
      '–',
    ]);
    expect(within(row).getByRole('link', { name: 'run-1' })).toHaveAttribute(
      'href',
      `/secondary-analysis/tasks/${buildAdminTask().id}?group=${GROUP_A}`,
    );
    expect(await violations()).toEqual([]);
  });

  test('a pool shows desired and ready nodes and the reason, and its history as chart or table', async () => {
    const view = await open('workers');
    expect(await screen.findByRole('heading', { level: 2, name: 'cpu-pool' })).toBeVisible();
    expect(screen.getByText('Adding nodes')).toBeVisible();
    expect(screen.getByText('5 pods wait for 2 nodes')).toBeVisible();
    expect(screen.getByText('1 / 3')).toBeVisible();
    expect(screen.getByText('0 – 4')).toBeVisible();
    expect(await screen.findByRole('img', { name: /3 desired, 1 ready/ })).toBeVisible();
    await view.user.click(screen.getByRole('button', { name: 'Show as table' }));
    const history = screen.getByRole('grid', { name: 'Changes of the last 6 hours' });
    expect(
      within(history)
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual(['2026-11-01 07:30:0031', '2026-11-01 07:00:0011']);
    expect(await violations()).toEqual([]);
  });

  test('a removed worker shows the time of its removal, and no task', async () => {
    const gone = buildWorker({ gone: '2026-11-01T09:00:00.000Z', task: null, register_status: 'Removing' });
    await open('workers', adminApi().on(`${BASE}/workers`, { count: 1, results: [gone] }));
    const row = (await screen.findByText('i-0123456789')).closest('tr') as HTMLElement;
    expect(within(row).getByText('Gone')).toBeVisible();
    expect(row).toHaveTextContent('2026-11-01 09:00:00');
    expect(within(row).queryByText('Being removed')).toBeNull();
  });

  test('an empty state explains the list when there is no pool; a failed call can be retried', async () => {
    const api = adminApi().on(`${BASE}/worker_pools`, { results: [] }).on(`${BASE}/workers`, { count: 0, results: [] });
    await open('workers', api);
    expect(await screen.findByText('No worker yet')).toBeVisible();
    const failing = adminApi().on(`${BASE}/workers`, recordedError('internal_error'));
    const view = await open('workers', failing);
    expect(await screen.findByText('The workers could not be loaded.')).toBeVisible();
    failing.on(`${BASE}/workers`, { count: 1, results: [buildWorker()] });
    await view.user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('i-0123456789')).toBeVisible();
  });
});

describe('task results', () => {
  test('[WORK-04] id, task id, done date, status, content type, content encoding, result, traceback, hidden and meta are listed', async () => {
    await open('results');
    await screen.findByRole('button', { name: 'cccccccc' });
    expect(headers().map((text) => text?.trim())).toEqual([
      'ID',
      'Task ID',
      'Done date',
      'Status',
      'Result',
      'Traceback',
      'Hidden',
      'Meta',
      'Content type',
      'Content encoding',
    ]);
    expect(screen.getAllByRole('cell').map((cell) => cell.textContent)).toEqual([
      expect.stringMatching(/^77777777.*run-1$/),
      '2026-11-01 08:05:00',
      'Failed',
      '–',
      'S2: the gzip file is cut',
      'No',
      'Lab Ajob-reads-1Step failed',
      'application/json',
      'utf-8',
    ]);
    expect(await violations()).toEqual([]);
  });

  test('[WORK-04] a result opens with result.json and the end of the log of the selected sample', async () => {
    const detail = (sample: string) => ({
      row: buildTaskResult(),
      samples: [
        { name: 'S1', failed: false },
        { name: 'S2', failed: true },
      ],
      sample,
      result: sample === 'S1' ? { step: 'reads', metrics: { fragments: 12 } } : null,
      log: { name: `reads-${sample}.log`, text: `log of ${sample}` },
    });
    const api = adminApi().on(`${BASE}/task_results/*`, ({ query }: { query: URLSearchParams }) =>
      detail(query.get('sample') ?? 'S2'),
    );
    const view = await open('results', api);
    await view.user.click(await screen.findByRole('button', { name: 'S2: the gzip file is cut' }));
    const dialog = await screen.findByRole('dialog', { name: /reads, attempt 1, of run-1/ });
    expect(view.at()).toContain(`result=${buildTaskResult().id}`);
    expect(await within(dialog).findByText('log of S2')).toBeVisible();
    expect(within(dialog).getByText(/no result.json yet/)).toBeVisible();
    await view.user.selectOptions(within(dialog).getByRole('combobox', { name: 'Sample' }), 'S1');
    expect(await within(dialog).findByText(/"fragments": 12/)).toBeVisible();
    expect(await violations()).toEqual([]);
    await view.user.click(within(dialog).getAllByRole('button', { name: 'Close' })[0]!);
    await waitFor(() => expect(view.at()).toBe('/system-settings/tasks?tab=results'));
  });

  test('failed results are filtered on the server', async () => {
    const api = adminApi();
    const view = await open('results', api);
    await view.user.click(await screen.findByRole('button', { name: 'Failures' }));
    await view.user.click(await screen.findByRole('menuitem', { name: 'Failed completely or partly' }));
    await waitFor(() => expect(api.called(`${BASE}/task_results`).at(-1)?.query.get('failed')).toBe('true'));
    expect(view.at()).toContain('failed=yes');
  });
});
