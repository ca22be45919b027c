import { completedTask } from '../../test-support/completed-task.ts';

const given = completedTask();

test('the summary lists the items that need attention', async () => {
  const { body } = await given.task.get('/summary');
  expect(body.qc).toEqual({ ready: true, pass: 1, warn: 0, fail: 1 });
  expect(body.attention).toEqual([
    {
      level: 'danger',
      code: 'qc_failed',
      params: { sample: 'S2', metric: 'mean_depth', value: 65, operator: '>=', limit: 100 },
      message: 'mean_depth 65; >= 100',
      sample: 'S2',
      tab: 'qc',
    },
  ]);
});
