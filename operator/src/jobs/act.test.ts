import { errorFor } from '@seqpanel/crds/kube/errors.ts';
import type { EventText } from '../kube/events.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { aTask } from '../testing/task-builders.ts';
import { act } from './act.ts';

const job = aJob('t1', 'reads', [0]).build();
const task = aTask('t1', 'A').build();
const pod = aPod(job).build();
const signal = new AbortController().signal;
const running = { metadata: { name: pod.name, uid: pod.uid, resourceVersion: '7' }, status: { phase: 'Running' } };

/** An API server with the running pod that answers writes with `status`. */
function anActor(status: number) {
  const events: EventText[] = [];
  const write = async () => {
    if (status >= 400) throw errorFor(status, { kind: 'Status', reason: '', message: `answer ${status}` } as never);
    return running;
  };
  const client = { get: async () => running, patch: write, delete: write };
  const recorder = { record: (_: unknown, event: EventText) => events.push(event), settled: async () => undefined };
  return { events, actor: { client, events: recorder, now: () => 0 } as never };
}

test('a pod of a lost node is marked, and the event says so', async () => {
  const { actor, events } = anActor(200);
  await act(actor, task, { do: 'markPodLost', pod }, signal);
  expect(events).toEqual([
    { type: 'Warning', reason: 'NodeLost', message: `pod ${pod.name} was on node node1, which is gone` },
  ]);
});

test('a pod that another client changed at the same time is not reported as lost', async () => {
  const { actor, events } = anActor(409);
  await expect(act(actor, task, { do: 'markPodLost', pod }, signal)).rejects.toThrow('answer 409');
  expect(events).toEqual([]);
});

test('a pod that is gone by the time of the patch is not reported as lost', async () => {
  const { actor, events } = anActor(404);
  await act(actor, task, { do: 'markPodLost', pod }, signal);
  expect(events).toEqual([]);
});

test.each([
  { do: 'deleteJob', job },
  { do: 'expireJob', job, seconds: 60 },
  { do: 'setParallelism', job, parallelism: 2 },
  { do: 'deleteConfigMap', name: 'spec' },
  { do: 'deleteTask' },
] as const)('$do of an object that is gone is done; a conflict is reported', async (action) => {
  await expect(act(anActor(404).actor, task, action, signal)).resolves.toBeUndefined();
  await expect(act(anActor(409).actor, task, action, signal)).rejects.toThrow('answer 409');
});
