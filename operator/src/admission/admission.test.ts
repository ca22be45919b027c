import { setTimeout as wait } from 'node:timers/promises';
import { Admission } from './admission.ts';
import type { Candidate } from './candidate.ts';

const aTask = (uid: string): Candidate => ({
  ...{ key: `n/${uid}`, uid, group: 'a', created: '2026-01-01T00:00:00Z', wants: 8 },
  ...{ started: false, ending: false, allowed: 0, active: 0, settled: 0, leaving: 0 },
});

test('admitted tasks keep their pods when an older task appears in the cache before their start does', async () => {
  const stop = new AbortController();
  let tasks = ['3', '4', '5'].map(aTask);
  const started: string[] = [];
  const admission = new Admission({
    candidates: () => tasks,
    limits: () => ({ groupPods: 0, totalPods: 20, groupWeights: {} }),
    admittedCondition: () => undefined,
  });
  admission.run(stop.signal, (key, priority) => priority === 'soon' && started.push(key));
  await wait(150);
  const granted = () => tasks.map(({ key }) => admission.of(key)?.grant?.pods ?? 0);
  expect(granted()).toEqual([8, 8, 4]);
  tasks = [...tasks, aTask('1')];
  admission.changed();
  await wait(250);
  expect(granted()).toEqual([8, 8, 4, 0]);
  expect(started).toEqual(['n/3', 'n/4', 'n/5']);
  stop.abort();
});
