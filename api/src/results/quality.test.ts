import { completedTask } from '../../test-support/completed-task.ts';

const given = completedTask();

test('[RESULT-03] metrics and verdicts are grouped by sample, with the worst verdict', async () => {
  const { body } = await given.task.get('/qc');
  expect(body).toMatchObject({ ready: true, skipped: false, metrics: ['mean_depth', 'on_target_fraction'] });
  expect(body.samples[1]).toMatchObject({
    sample: 'S2',
    status: 'fail',
    metrics: { on_target_fraction: { value: 0.9, numerator: 900, denominator: 1000 } },
    verdicts: [{ metric: 'mean_depth', value: 65, operator: '>=', limit: 100, source: 'default', verdict: 'fail' }],
  });
});

test('[RESULT-04] depths are one matrix, and also by amplicon with the run median', async () => {
  const answer = await fetch(new URL(`${given.task.path}/depth-matrix`, given.api.url), {
    headers: { authorization: `Bearer ${given.task.lab.user.token}` },
  });
  expect(answer.headers.get('content-type')).toMatch('application/octet-stream');
  expect([...new Uint32Array(await answer.arrayBuffer())]).toEqual([100, 300, 50, 80]);
  const { body } = await given.task.get('/amplicons?sample=S2');
  expect(body.results).toMatchObject([
    { name: 'A1', median: 75, min: 50, max: 100, depth: 50 },
    { name: 'A2', median: 190, depth: 80 },
  ]);
});

test('the summary names what needs attention', async () => {
  const { body } = await given.task.get('/summary');
  expect(body.qc).toEqual({ ready: true, pass: 1, warn: 0, fail: 1 });
  expect(body.attention).toMatchObject([{ level: 'danger', code: 'qc', sample: 'S2', tab: 'qc' }]);
});
