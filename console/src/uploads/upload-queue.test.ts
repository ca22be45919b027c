import type { TransferEvents } from './upload-item.ts';
import { PARALLEL_UPLOADS, UploadQueue } from './upload-queue.ts';

const target = { group: 'g', project: 'p', projectName: 'P' };
const file = (name: string, content = 'x'.repeat(100)) => new File([content], name, { lastModified: 5 });

/** A queue whose transfers the test controls. */
function queue(storage: Storage = window.localStorage) {
  const running = new Map<string, TransferEvents>();
  const log: string[] = [];
  const made = new UploadQueue(
    (item, _file, events) => {
      running.set(item.name, events);
      log.push(`start ${item.name}`);
      const stop = (how: string) => () => {
        running.delete(item.name);
        log.push(`${how} ${item.name}`);
      };
      return { pause: stop('pause'), cancel: stop('cancel') };
    },
    storage,
    () => 0,
  );
  made.openFor('mei');
  const item = (name: string) => made.get().items.find((each) => each.name === name);
  const statuses = () => Object.fromEntries(made.get().items.map(({ name, status }) => [name, status]));
  return { queue: made, running, log, item, statuses };
}

beforeEach(() => window.localStorage.clear());

test('three files are sent at a time, the others follow in order', () => {
  const { queue: q, running, statuses } = queue();
  q.add(
    target,
    ['a.bam', 'b.bam', 'c.bam', 'd.bam'].map((name) => file(name)),
  );
  expect(running.size).toBe(PARALLEL_UPLOADS);
  expect(statuses()).toEqual({ 'a.bam': 'uploading', 'b.bam': 'uploading', 'c.bam': 'uploading', 'd.bam': 'queued' });
  running.get('b.bam')?.onDone();
  expect(statuses()).toMatchObject({ 'b.bam': 'completed', 'd.bam': 'uploading' });
});

test('[UPLOAD-03] a paused upload resumes and completes', () => {
  const { queue: q, running, item, log } = queue();
  q.add(target, [file('a.bam')]);
  running.get('a.bam')?.onProgress(40);
  q.pause(item('a.bam')?.id ?? '');
  expect(item('a.bam')).toMatchObject({ status: 'paused', sent: 40 });
  q.resume(item('a.bam')?.id ?? '');
  running.get('a.bam')?.onDone();
  expect(item('a.bam')).toMatchObject({ status: 'completed', sent: 100 });
  expect(log).toEqual(['start a.bam', 'pause a.bam', 'start a.bam']);
});

test('a late event of a paused transfer changes nothing', () => {
  const { queue: q, running, item } = queue();
  q.add(target, [file('a.bam')]);
  const events = running.get('a.bam');
  q.pause(item('a.bam')?.id ?? '');
  events?.onError(new Error('aborted'));
  events?.onDone();
  expect(item('a.bam')?.status).toBe('paused');
});

test.each(['queued', 'uploading', 'paused'])('[UPLOAD-04] a %s upload can be canceled', (status) => {
  const { queue: q, item } = queue();
  const names = status === 'queued' ? ['1.bam', '2.bam', '3.bam', 'a.bam'] : ['a.bam'];
  q.add(
    target,
    names.map((name) => file(name)),
  );
  const id = item('a.bam')?.id ?? '';
  if (status === 'paused') q.pause(id);
  expect(item('a.bam')?.status).toBe(status);
  q.cancel(id);
  expect(item('a.bam')?.status).toBe('canceled');
});

test('[UPLOAD-04] canceling a paused upload deletes the stored bytes', () => {
  const { queue: q, running, item, log } = queue();
  q.add(target, [file('a.bam')]);
  running.get('a.bam')?.onProgress(10);
  q.pause(item('a.bam')?.id ?? '');
  q.cancel(item('a.bam')?.id ?? '');
  expect(log.at(-1)).toBe('cancel a.bam');
});

test('[UPLOAD-05] a failed and a canceled upload can be uploaded again', () => {
  const { queue: q, running, item } = queue();
  q.add(target, [file('a.bam'), file('b.bam')]);
  running.get('a.bam')?.onError(new Error('cut'));
  q.cancel(item('b.bam')?.id ?? '');
  expect([item('a.bam')?.status, item('b.bam')?.status]).toEqual(['failed', 'canceled']);
  q.all('retry');
  expect([item('a.bam'), item('b.bam')]).toMatchObject([{ status: 'uploading' }, { status: 'uploading', sent: 0 }]);
  expect(item('a.bam')?.error).toBeUndefined();
});

test('[UPLOAD-07] after a reload an unfinished upload waits for its file, known by name, size and time', () => {
  const before = queue();
  before.queue.add(target, [file('a.bam'), file('b.bam')]);
  before.running.get('b.bam')?.onDone();
  const after = queue();
  expect(after.queue.get().items).toMatchObject([{ name: 'a.bam', status: 'paused', needsFile: true }]);
  const other = file('a.bam', 'another content, of another size');
  expect(after.queue.repick('p', [other])).toEqual([other]);
  expect(after.queue.repick('p', [file('a.bam')])).toEqual([]);
  expect(after.item('a.bam')).toMatchObject({ status: 'uploading', needsFile: false });
});

test('another user does not see it', () => {
  const { queue: q } = queue();
  q.add(target, [file('a.bam')]);
  q.openFor('other');
  expect(q.get().items).toEqual([]);
});
