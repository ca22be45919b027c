import { completedTask } from '../../test-support/completed-task.ts';

const given = completedTask();

test('[RESULT-03] metrics and verdicts are listed by sample, with the worst verdict', async () => {
  const { body } = await given.task.get('/qc');
  expect(body).toMatchObject({ ready: true, skipped: false, metrics: ['mean_depth', 'on_target_fraction'] });
  expect(body.samples[1]).toMatchObject({
    sample: 'S2',
    status: 'fail',
    metrics: { on_target_fraction: { value: 0.9, numerator: 900, denominator: 1000 } },
    verdicts: [{ metric: 'mean_depth', value: 65, operator: '>=', limit: 100, source: 'default', verdict: 'fail' }],
  });
});
