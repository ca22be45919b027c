import { aJob, aPod } from '../testing/job-builders.ts';
import { podsToRead, withLogs } from './log-tails.ts';
import { causeOf, logTail } from './termination.ts';

const signal = new AbortController().signal;
const failedJob = aJob('t1', 'reads', [0, 1]).ended(0).build();
const badPod = (name = 'p-0') => aPod(failedJob).refused('not_gzip', 'cut').with({ name, uid: name }).build();
const reader = (answer: (pod: string) => string) => {
  const asked: string[] = [];
  const log = async (pod: string) => {
    asked.push(pod);
    return answer(pod);
  };
  return { asked, client: { log } };
};

test('the log of a permanently failed pod is read, and its end is part of the cause', async () => {
  const { client } = reader(() => 'line 1\nline 2\n');
  const [pod] = await withLogs(client, failedJob, [badPod()], signal);
  expect(causeOf(pod)).toEqual({ code: 'not_gzip', message: 'cut', logTail: 'line 1\nline 2' });
});

test('a log that cannot be read does not change the cause', async () => {
  const { client } = reader(() => {
    throw new Error('the node is gone');
  });
  const [pod] = await withLogs(client, failedJob, [badPod()], signal);
  expect(causeOf(pod)).toEqual({ code: 'not_gzip', message: 'cut' });
});

test('no log is read for running or successful Jobs, for disrupted pods, or if the kubelet stored the end of the log', async () => {
  const running = aJob('t1', 'reads', [0, 1]).build();
  expect(podsToRead(running, [badPod()])).toEqual([]);
  expect(podsToRead(failedJob, [aPod(failedJob).disrupted().build()])).toEqual([]);
  const crashed = aPod(failedJob).crashed(139, 'a\nSegmentation fault').build();
  expect(podsToRead(failedJob, [crashed])).toEqual([]);
  expect(causeOf(crashed)).toMatchObject({ logTail: 'a\nSegmentation fault' });
});

test('only the last pod of a retried index is read, and at most 20 indexes', () => {
  const pods = [badPod('p-0-old'), badPod('p-0-new')].map((pod, i) => ({ ...pod, created: `2026-01-0${i + 1}` }));
  expect(podsToRead(failedJob, pods).map(({ name }) => name)).toEqual(['p-0-new']);
  const many = Array.from({ length: 30 }, (_, index) => ({ ...badPod(`p-${index}`), index }));
  expect(podsToRead(failedJob, many)).toHaveLength(20);
});

test.each([
  ['short text is unchanged', 'a\nb\n', 'a\nb'],
  ['colours and other control characters are removed', '\u001b[31mred\u001b[0m\u0007 \tx', 'red \tx'],
  ['long text keeps its last complete lines', `${'a'.repeat(2000)}\n${'b'.repeat(2000)}\nc`, `${'b'.repeat(2000)}\nc`],
  ['one long line is truncated between characters', '変'.repeat(1000), '変'.repeat(682)],
])('the end of a log: %s', (_, text, end) => {
  expect(logTail(text)).toBe(end);
  expect(Buffer.byteLength(logTail(text))).toBeLessThanOrEqual(2048);
});
