import { completedTask } from '../../test-support/completed-task.ts';

const given = completedTask();

test('[RESULT-04] depths are returned as one matrix, and by amplicon with the run median', async () => {
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
