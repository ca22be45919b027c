import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp } from '../../../test/render-app.tsx';
import { buildTask } from '../../../test/tasks.ts';
import type { LogFile } from '../../queries/tasks.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
const log = (name: string, sample: string | null, modified: string): LogFile => ({
  name,
  stage: 'secondary',
  step: name.split(/[-.]/)[0]!,
  sample,
  size: 100,
  modified,
});
const failed = buildTask({
  status: 'failed',
  failures: [{ sample: 'S2', step: 'reads', code: 'gzip_cut', message: 'S2_R1.fastq.gz', log: 'reads-S2.log' }],
});
const path = `/secondary-analysis/tasks/${failed.id}/logfile`;
const text = (lines: string) => () => new Response(lines, { headers: { 'Content-Type': 'text/plain' } });
const logApi = () =>
  fakeApi()
    .on(`GET ${TASK}`, failed)
    .on(`GET ${TASK}/logs`, {
      results: [
        log('reads-S1.log', 'S1', '2026-11-01T08:02:00.000Z'),
        log('reads-S2.log', 'S2', '2026-11-01T08:01:00.000Z'),
      ],
    })
    .on(`GET ${TASK}/logs/reads-S1.log`, text('reading S1\nS1 is done'))
    .on(`GET ${TASK}/logs/reads-S2.log`, text('reading S2\nbad input: truncated gzip file'));
// jsdom has no layout: the log viewer needs sizes, line heights and the width of a letter.
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { value: 800 });
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { value: 600 });
HTMLCanvasElement.prototype.getContext = (() => ({ measureText: () => ({ width: 8 }) })) as never;
document.head.append(
  Object.assign(document.createElement('style'), {
    textContent: '* { line-height: 20px; padding-left: 0px; padding-right: 0px; width: 40px; }',
  }),
);

test('[TASK-09] a failed task opens the log of its failure; the log of another sample can be chosen', async () => {
  const view = await renderApp(path, { api: logApi() });
  expect(await screen.findByText('bad input: truncated gzip file')).toBeVisible();
  expect(screen.getByText('reading S2')).toBeVisible();
  expect(view.api.called(`GET ${TASK}/logs/reads-S2.log`)[0]?.query.get('tail')).toBe('5000');
  await view.user.click(screen.getByRole('button', { name: 'Step and sample: reads-S2.log' }));
  await view.user.click(await screen.findByRole('option', { name: /reads · S1/ }));
  expect(await screen.findByText('S1 is done')).toBeVisible();
  expect(screen.queryByText('reading S2')).toBeNull();
  expect(view.at()).toBe(`${path}?log=reads-S1.log`);
});

test('[TASK-09] the whole log is downloaded under its name', async () => {
  const saved: string[] = [];
  URL.createObjectURL = () => 'blob:log';
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const view = await renderApp(path, { api: logApi() });
  await view.user.click(await screen.findByRole('button', { name: 'Download this log' }));
  await waitFor(() => expect(saved).toEqual(['reads-S2.log']));
  expect(view.api.called(`GET ${TASK}/logs/reads-S2.log`).at(-1)?.query.get('download')).toBe('true');
});

test('a log that is gone says so', async () => {
  const api = logApi().on(`GET ${TASK}/logs/reads-S2.log`, recordedError('log_not_found'));
  await renderApp(path, { api });
  const main = within(await screen.findByRole('main'));
  expect(await main.findByText('This log file does not exist.')).toBeVisible();
  expect(api.called(`GET ${TASK}`)[0]?.path).toBe(`/api/v1/pivat/${GROUP_A}/tasks/${failed.id}`);
});
