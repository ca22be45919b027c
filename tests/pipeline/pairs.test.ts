import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type PlantedChange, passCalls, type TinyRun } from '../support/tiny-run.ts';

let run: TinyRun;
beforeAll(async () => {
  run = await makeTinyRun();
});
afterAll(() => rm(run.storage, { recursive: true, force: true }));

const change = (pos: number, vaf: number): PlantedChange => {
  const ref = run.bases(pos, pos);
  return { pos, ref, alt: ref === 'A' ? 'C' : 'A', vaf };
};

test('a tumor has the counts of its normal; without its normal it is called alone and marked', async () => {
  const inherited = [430, 445, 460, 1030, 1045, 1060].map((pos) => change(pos, 0.5));
  const task = await makeTask({
    storage: run.storage,
    id: 'pair',
    panel: run.panel,
    samples: [
      { name: 'T', role: 'tumor', pair: 'p1', ...run.reads('tumor', 300, [...inherited, change(1650, 0.1)], 1) },
      { name: 'N', role: 'normal', pair: 'p1', ...run.reads('normal', 200, inherited, 2) },
    ],
    pairs: [{ name: 'p1', tumor: 'T', normal: 'N' }],
  });
  for (const sample of ['T', 'N']) expect((await task.run('reads', {}, ['--sample', sample])).exit).toBe(0);
  const calls = () => gunzipSync(readFileSync(`${task.folder}/samples/T/call/calls.vcf.gz`)).toString();
  const result = () => JSON.parse(readFileSync(`${task.folder}/samples/T/call/result.json`, 'utf8'));
  for (const step of ['cohort', 'call'])
    expect((await task.run(step, {}, step === 'call' ? ['--sample', 'T'] : [])).exit).toBe(0);
  expect(readFileSync(`${task.folder}/cohort/pairs.tsv`, 'utf8')).toContain('p1\tT\tN\t6\t1.0000\tmatch');
  expect(passCalls(calls()).map(({ vaf }) => vaf)).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1]);
  const normalOf = (pos: number): string | undefined => {
    const cells = calls()
      .split('\n')
      .find((line) => line.startsWith(`c1\t${pos}\t`))!
      .split('\t');
    return cells[9]!.split(':')[cells[8]!.split(':').indexOf('N_AD')];
  };
  expect([normalOf(430), normalOf(1650)]).toEqual(['100,100', '200,0']);
  expect(result().warnings).toEqual([]);

  const failed = { SEQPANEL_FAILED_SAMPLES: '1' };
  for (const step of ['cohort', 'call'])
    expect((await task.run(step, failed, step === 'call' ? ['--sample', 'T'] : [])).exit).toBe(0);
  expect(readFileSync(`${task.folder}/cohort/pairs.tsv`, 'utf8')).toContain('p1\tT\tN\t.\t.\tpair_incomplete');
  expect(result().warnings).toMatchObject([{ code: 'pair_incomplete' }]);
  expect(calls()).not.toContain(':N_AD');
});
