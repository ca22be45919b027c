import { aTask } from '../testing/task-builders.ts';
import { loggedEvents } from './logged-events.ts';

test('a task’s event becomes a log line with the id of its launch request, and without sample names', () => {
  const lines: unknown[] = [];
  const recorded: unknown[] = [];
  const events = loggedEvents({ record: (_, event) => recorded.push(event), settled: async () => undefined }, {
    info: (...line: unknown[]) => lines.push(['info', ...line]),
    warn: (...line: unknown[]) => lines.push(['warn', ...line]),
  } as never);
  const task = aTask('t1', 'A')
    .with(({ metadata }) => Object.assign(metadata, { annotations: { 'seqpanel.dev/request-id': 'req-1' } }))
    .build();
  const event = { type: 'Warning' as const, reason: 'SampleFailed', message: 'Miller_J failed in reads' };
  events.record(task, event);
  expect(recorded).toEqual([event]);
  expect(lines).toEqual([['warn', { task: 'test/t1', reason: 'SampleFailed', requestId: 'req-1' }, 'task event']]);
});
