import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type TinyRun } from '../support/tiny-run.ts';

let run: TinyRun;
beforeAll(async () => {
  run = await makeTinyRun();
}, 120_000);
afterAll(() => rm(run.storage, { recursive: true, force: true }));

const LOADED = /loaded\/built the index/g;
type HandTask = Awaited<ReturnType<typeof makeTask>>;

/** Runs one pod for `names`, all samples of the task. */
const onePod = (task: HandTask, count: number, more: Record<string, string> = {}) =>
  task.run('reads', {
    SEQPANEL_SAMPLES: `0-${count - 1}`,
    SEQPANEL_SAMPLES_PER_POD: `${count}`,
    JOB_COMPLETION_INDEX: '0',
    ...more,
  });
const resultOf = ({ folder }: HandTask, sample: string): StepResult =>
  JSON.parse(readFileSync(`${folder}/samples/${sample}/reads/result.json`, 'utf8'));
const outputs = (task: HandTask, sample: string) =>
  resultOf(task, sample).outputs.map(({ path, sha256 }) => `${path} ${sha256}`);
const timesLoaded = ({ folder }: HandTask): number =>
  readdirSync(`${folder}/logs`)
    .map((name) => readFileSync(`${folder}/logs/${name}`, 'utf8').match(LOADED)?.length ?? 0)
    .reduce((a, b) => a + b, 0);

test.each([1, 2])(
  'the aligner’s index is loaded once per pod, and each sample has the same bytes as in its own pod, with %i processors',
  async (cpus) => {
    // The largest sample has several batches of the aligner, the smallest one fragment per amplicon, and one has no
    // reads.
    const empty = `${run.storage}/none_R1.fastq.gz`;
    await writeFile(empty, gzipSync(''));
    const sized = { A: 60, B: 14000, C: 1, D: 60 };
    const samples = [
      ...Object.entries(sized).map(([name, fragments], seed) => ({
        name,
        ...run.reads(`sized${name}`, fragments, [], seed),
      })),
      { name: 'E', r1: empty },
    ];
    const hand = { storage: run.storage, panel: run.panel, samples };
    const env = { SEQPANEL_CPUS: `${cpus}` };
    const together = await makeTask({ ...hand, id: `together-${cpus}` });
    expect((await onePod(together, samples.length, env)).exit).toBe(0);
    expect(timesLoaded(together)).toBe(1);
    const apart = await makeTask({ ...hand, id: `apart-${cpus}` });
    for (const { name } of samples) expect((await apart.run('reads', env, ['--sample', name])).exit).toBe(0);
    expect(timesLoaded(apart)).toBe(4);
    for (const { name } of samples) expect(outputs(together, name)).toEqual(outputs(apart, name));
    expect(resultOf(together, 'D').tools.map(({ name }) => name)).toContain('minimap2');
  },
  300_000,
);

test('a sample with bad input is skipped, and later samples have only their own reads', async () => {
  const good = run.reads('good', 60);
  const bad = { r1: `${run.storage}/bad_R1.fastq.gz`, r2: `${run.storage}/bad_R2.fastq.gz` };
  const whole = run.reads('cut', 4000);
  const bytes = readFileSync(whole.r1);
  await writeFile(bad.r1, bytes.subarray(0, bytes.length / 2));
  await copyFile(whole.r2, bad.r2);
  const samples = [
    { name: 'A', ...good },
    { name: 'BAD', ...bad },
    { name: 'Z', ...good },
  ];
  const hand = { storage: run.storage, panel: run.panel, samples };
  const together = await makeTask({ ...hand, id: 'with-bad' });
  const { exit, message } = await onePod(together, samples.length);
  expect([exit, message.failed?.map(({ sample }) => sample)]).toEqual([0, ['BAD']]);
  const apart = await makeTask({ ...hand, id: 'without-bad' });
  expect((await apart.run('reads', {}, ['--sample', 'Z'])).exit).toBe(0);
  expect(outputs(together, 'Z')).toEqual(outputs(apart, 'Z'));
}, 300_000);

test('when the pod’s aligner is killed, the pod ends with a retryable error and leaves no results', async () => {
  const samples = ['A', 'B'].map((name, seed) => ({ name, ...run.reads(`kill${name}`, 8000, [], seed) }));
  const task = await makeTask({ storage: run.storage, id: 'killed-aligner', panel: run.panel, samples });
  const { pid, end } = task.start('reads', {
    SEQPANEL_SAMPLES: '0-1',
    SEQPANEL_SAMPLES_PER_POD: '2',
    JOB_COMPLETION_INDEX: '0',
  });
  const aligner = (): string | undefined => {
    const list = (path: string): string => {
      try {
        return readFileSync(path, 'utf8').trim();
      } catch {
        return '';
      }
    };
    const below = (parent: string): string[] =>
      list(`/proc/${parent}/task/${parent}/children`)
        .split(' ')
        .filter((child) => child !== '')
        .flatMap((child) => [child, ...below(child)]);
    return below(String(pid)).find((child) => list(`/proc/${child}/comm`) === 'minimap2');
  };
  let found = aligner();
  for (let ended = false; !found && !ended; found = aligner())
    ended = await Promise.race([end.then(() => true), new Promise<false>((next) => setImmediate(next, false))]);
  process.kill(Number(found), 'SIGKILL');
  const { exit, message } = await end;
  expect(exit).toBe(1);
  expect(message.message).toMatch(/^minimap2 failed with exit code 137/);
  expect(readdirSync(`${task.folder}/.work`)).toEqual([]);
}, 120_000);
