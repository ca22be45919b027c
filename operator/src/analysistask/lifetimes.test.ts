import { anInput, SETTINGS } from '../testing/decision-input.ts';
import { condition, did } from '../testing/decisions.ts';
import { aJob } from '../testing/job-builders.ts';
import { aTask, NOW } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

describe('lifetimes of Jobs', () => {
  test('recorded Jobs get their time to live when half of it has passed since the first end', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    expect(did(decide(anInput(task, [aJob('t1', 'reads', [0])])))).toEqual([]);
    const ended = decide(anInput(task, [aJob('t1', 'reads', [0]).ended()]));
    expect([did(ended), ended.requeueAfterMs]).toEqual([[], 299_000]);
    const next = aTask('t1', 'A').withStep('cohort', 'Running');
    const jobs = [aJob('t1', 'reads', [0]).ended(), aJob('t1', 'cohort')];
    expect(did(decide(anInput(next, jobs, [], { now: NOW + 298_000 })))).toEqual([]);
    const now = NOW + 299_000;
    expect(did(decide(anInput(next, jobs, [], { now })))).toEqual(['expireJob t1-reads-1']);
    jobs[0]?.with({ hasTtl: true });
    expect(did(decide(anInput(next, jobs, [], { now })))).toEqual([]);
  });

  test('all ended Jobs of a task expire in one round', () => {
    const task = aTask('t1', 'A')
      .withStep('reads', 'Succeeded')
      .withStep('cohort', 'Succeeded')
      .withStep('report', 'Running');
    const jobs = [aJob('t1', 'reads', [0]).ended(), aJob('t1', 'cohort').ended(), aJob('t1', 'report')];
    expect(did(decide(anInput(task, jobs, [], { now: NOW + 300_000 })))).toEqual([
      'expireJob t1-reads-1',
      'expireJob t1-cohort-1',
    ]);
  });

  test('a Job of an earlier attempt is deleted', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running', { attempt: 2 });
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0], 1), aJob('t1', 'reads', [0], 2)]));
    expect(did(decision)).toEqual(['deleteJob t1-reads-1']);
  });

  test('an ingested task is deleted after its retention time', () => {
    const done = aTask('t1', 'A')
      .withStep('report', 'Succeeded')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Completed' }))
      .with((t) => Object.assign(t.metadata, { annotations: { 'seqpanel.dev/ingested': 'f1' } }));
    const first = decide(anInput(done));
    expect(condition(first, 'Ingested')?.status).toBe('True');
    expect(did(first)).toEqual([]);
    expect(first.requeueAfterMs).toBe(SETTINGS.retentionMs);
    const later = done.with((t) => Object.assign(t, { status: first.status }));
    expect(did(decide(anInput(later, [], [], { now: NOW + SETTINGS.retentionMs - 1 })))).toEqual([]);
    expect(did(decide(anInput(later, [], [], { now: NOW + SETTINGS.retentionMs })))).toEqual(['deleteTask']);
  });

  test('a task restored from a backup after ingest does not run again and is deleted after its retention time', () => {
    // Named by hand, as kubectl allows.
    const back = aTask('plate-7', 'A').with(({ metadata }) =>
      Object.assign(metadata, { annotations: { 'seqpanel.dev/ingested': 'f1' } }),
    );
    const decision = decide(anInput(back));
    expect(decision.before).toEqual([]);
    expect(decision.status.phase).toBe('Completed');
    expect(condition(decision, 'Completed')).toMatchObject({ status: 'True', reason: 'Restored' });
    expect(condition(decision, 'Ingested')?.status).toBe('True');
    expect(decision.requeueAfterMs).toBe(SETTINGS.retentionMs);
    back.with((task) => Object.assign(task, { status: decision.status }));
    expect(did(decide(anInput(back, [], [], { now: NOW + SETTINGS.retentionMs })))).toEqual(['deleteTask']);
  });

  test.each(['Failed', 'Aborted'] as const)(
    'the retention time of a task that ended %s counts from its end',
    (phase) => {
      const ended = aTask('t1', 'A')
        .withStep('reads', 'Failed')
        .with((t) => Object.assign(t.status ?? {}, { phase, finished: new Date(NOW).toISOString() }));
      expect(decide(anInput(ended)).requeueAfterMs).toBe(SETTINGS.retentionMs);
      expect(did(decide(anInput(ended, [], [], { now: NOW + SETTINGS.retentionMs - 1 })))).toEqual([]);
      expect(did(decide(anInput(ended, [], [], { now: NOW + SETTINGS.retentionMs })))).toEqual(['deleteTask']);
    },
  );

  test('a completed task is kept until its results are in the database', () => {
    const done = aTask('t1', 'A')
      .withStep('reads', 'Failed')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Completed', finished: new Date(NOW).toISOString() }));
    expect(did(decide(anInput(done, [], [], { now: NOW + 10 * SETTINGS.retentionMs })))).toEqual([]);
  });

  test('the spec file is deleted at the end of the task, and again while a Job shows that it may still exist', () => {
    const running = aTask('t1', 'A').withStep('report', 'Running');
    const end = decide(anInput(running, [aJob('t1', 'report').ended()]));
    expect(end.status.phase).toBe('Completed');
    expect(end.after).toContainEqual({ do: 'deleteConfigMap', name: 't1-spec' });
    const done = running.with((t) => Object.assign(t, { status: end.status }));
    expect(did(decide(anInput(done, [aJob('t1', 'report').ended()])))).toContain('deleteConfigMap');
    expect(did(decide(anInput(done)))).toEqual([]);
  });

  test('a Job that still runs when its task has failed is deleted', () => {
    const failed = aTask('t1', 'A')
      .withStep('reads', 'Running')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Failed', finished: new Date(NOW).toISOString() }));
    expect(did(decide(anInput(failed, [aJob('t1', 'reads', [0])])))).toContain('deleteJob t1-reads-1');
  });
});
