import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type TinyRun } from '../support/tiny-run.ts';

let run: TinyRun;
let good: { r1: string; r2: string };
beforeAll(async () => {
  run = await makeTinyRun();
  good = run.reads('good', 20);
});
afterAll(() => rm(run.storage, { recursive: true, force: true }));

const file = (name: string, content: Buffer | string): string => {
  const path = join(run.storage, name);
  writeFileSync(path, content);
  return path;
};
const lines = (path: string): string[] => gunzipSync(readFileSync(path)).toString().split('\n');

/** Runs `reads` on one sample, which must leave no results. */
async function refused(id: string, sample: Parameters<typeof makeTask>[0]['samples'][number], source?: 'bam') {
  const task = await makeTask({ storage: run.storage, id, panel: run.panel, samples: [sample], source });
  const { exit, message } = await task.run('reads', { SEQPANEL_SAMPLES: '0', JOB_COMPLETION_INDEX: '0' });
  expect({ exit, outcome: message.outcome }).toEqual({ exit: 2, outcome: 'bad_input' });
  expect(existsSync(`${task.folder}/samples/${sample.name}/reads`)).toBe(false);
  expect(readdirSync(`${task.folder}/.work`)).toEqual([]);
  return message.message;
}

describe('reads refuses', () => {
  test('a truncated gzip file, with its name', async () => {
    const whole = readFileSync(good.r1);
    const r1 = file('cut_R1.fastq.gz', whole.subarray(0, whole.length - 200));
    expect(await refused('cut', { name: 'S', r1, r2: good.r2 })).toBe(
      'cut_R1.fastq.gz: truncated gzip file. Upload it again.',
    );
  });

  test('a file of 0 bytes', async () => {
    const r2 = file('empty_R2.fastq.gz', '');
    expect(await refused('empty', { name: 'S', r1: good.r1, r2 })).toBe(
      'empty_R2.fastq.gz: empty file (0 bytes). Upload it again.',
    );
  });

  test('R1 and R2 of different length, with the shorter file and the line', async () => {
    const r2 = file('short_R2.fastq.gz', gzipSync(`${lines(good.r2).slice(0, 200).join('\n')}\n`));
    expect(await refused('short', { name: 'S', r1: good.r1, r2 })).toBe(
      'short_R2.fastq.gz, line 201: ends after 50 reads, but good_R1.fastq.gz has more. Upload both files again.',
    );
  });

  test('R1 and R2 whose reads are not mates', async () => {
    const swapped = lines(good.r2);
    swapped[4] = '@other/2';
    const r2 = file('swapped_R2.fastq.gz', gzipSync(swapped.join('\n')));
    expect(await refused('swapped', { name: 'S', r1: good.r1, r2 })).toMatch(
      /^swapped_R2.fastq.gz, line 5: read @other is not the mate of @good:c1:400:1 in good_R1.fastq.gz\. /,
    );
  });

  test('a lane without its mate file', async () => {
    const lanes = [
      { lane: 'L001', ...good },
      { lane: 'L002', r1: run.reads('second', 5).r1 },
    ];
    expect(await refused('lane', { name: 'S', lanes })).toBe(
      'second_R1.fastq.gz: no R2 file for this lane. Add it and launch again.',
    );
  });

  test('a broken record, with the line', async () => {
    const broken = lines(good.r1);
    broken[11] = 'III';
    const r1 = file('broken_R1.fastq.gz', gzipSync(broken.join('\n')));
    expect(await refused('broken', { name: 'S', r1, r2: good.r2 })).toBe(
      'broken_R1.fastq.gz, line 12: 3 quality values for 120 bases',
    );
  });

  test('a file that was changed after the launch', async () => {
    const { r1, r2 } = run.reads('late', 5);
    const task = await makeTask({
      storage: run.storage,
      id: 'late',
      panel: run.panel,
      samples: [{ name: 'S', r1, r2 }],
    });
    writeFileSync(`${run.storage}/projects/g/p/late_R1.fastq.gz`, readFileSync(run.reads('later', 5, [], 6).r1));
    writeFileSync(`${run.storage}/projects/g/p/late_R2.fastq.gz`, readFileSync(`${run.storage}/later_R2.fastq.gz`));
    const { exit, message } = await task.run('reads', {}, ['--sample', 'S']);
    expect(exit).toBe(2);
    expect(message.message).toMatch(
      /^late_R[12].fastq.gz: has changed since the task was launched\. Launch it again\.$/,
    );
  });

  test('a panel file that was changed between freeze and start', async () => {
    const task = await makeTask({
      storage: run.storage,
      id: 'panel',
      panel: run.panel,
      samples: [{ name: 'S', ...good }],
    });
    writeFileSync(`${task.folder}/panel.json`, JSON.stringify({ ...run.panel, version: '2' }));
    const { exit, message } = await task.run('reads', {}, ['--sample', 'S']);
    expect(exit).toBe(2);
    expect(message.message).toBe('panel.json: has changed since the task was launched. Launch it again.');
  });
});

test('[K8S-20][K8S-23] with several samples per pod, a broken one is recorded and the others complete', async () => {
  const r1 = file('bad_R1.fastq.gz', '');
  const task = await makeTask({
    storage: run.storage,
    id: 'several',
    panel: run.panel,
    samples: [
      { name: 'A', r1, r2: good.r2 },
      { name: 'B', ...good },
    ],
  });
  const env = { SEQPANEL_SAMPLES: '0-1', JOB_COMPLETION_INDEX: '0', SEQPANEL_SAMPLES_PER_POD: '2' };
  const { exit, message } = await task.run('reads', env);
  expect(exit).toBe(0);
  expect(message.failed).toEqual([
    { sample: 'A', code: 'file_empty', message: 'bad_R1.fastq.gz: empty file (0 bytes). Upload it again.' },
  ]);
  expect(readFileSync(`${task.folder}/logs/reads-A.log`, 'utf8')).toMatch(/bad_input: bad_R1.fastq.gz: empty file/);
  expect(readFileSync(`${task.folder}/logs/reads-B.log`, 'utf8')).toMatch(/reads: done in/);
  expect(existsSync(`${task.folder}/samples/B/reads/result.json`)).toBe(true);
  expect(existsSync(`${task.folder}/samples/A/reads`)).toBe(false);
});

test('a FASTQ without reads completes with zeros, and so do the steps after it', async () => {
  const empty = gzipSync('');
  const task = await makeTask({
    storage: run.storage,
    id: 'ntc',
    panel: run.panel,
    samples: [{ name: 'NTC', r1: file('ntc_R1.fastq.gz', empty), r2: file('ntc_R2.fastq.gz', empty), qcType: 'NTC' }],
  });
  for (const step of ['reads', 'cohort', 'call', 'joint']) {
    const { exit, output } = await task.run(step);
    expect({ step, exit, output: exit === 0 ? '' : output }).toEqual({ step, exit: 0, output: '' });
  }
  const metrics = JSON.parse(readFileSync(`${task.folder}/samples/NTC/reads/metrics.json`, 'utf8'));
  expect(metrics.reads_total.value).toBe(0);
  expect(metrics.assigned_fragments.value).toBe(0);
  expect(readFileSync(`${task.folder}/samples/NTC/reads/depth.u32`).every((byte) => byte === 0)).toBe(true);
  expect(readFileSync(`${task.folder}/cohort/samples_check.tsv`, 'utf8')).toMatch(/^NTC\t.*\t0\t\.\tpass$/m);
});
