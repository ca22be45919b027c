import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type PlantedChange, passCalls, type TinyRun } from '../support/tiny-run.ts';

let run: TinyRun;
let changes: PlantedChange[];
beforeAll(async () => {
  run = await makeTinyRun();
  const base = run.bases(470, 470);
  changes = [{ pos: 470, ref: base, alt: base === 'A' ? 'C' : 'A', vaf: 0.5 }];
});
afterAll(() => rm(run.storage, { recursive: true, force: true }));

const metrics = (folder: string) => JSON.parse(readFileSync(`${folder}/samples/S/reads/metrics.json`, 'utf8'));
const unzip = (path: string): string => gunzipSync(readFileSync(path)).toString();

test('lanes are merged', async () => {
  const lanes = [
    { lane: 'L001', ...run.reads('lane1', 60, changes, 1) },
    { lane: 'L002', ...run.reads('lane2', 40, changes, 2) },
  ];
  const task = await makeTask({ storage: run.storage, id: 'lanes', panel: run.panel, samples: [{ name: 'S', lanes }] });
  expect((await task.run('reads')).exit).toBe(0);
  expect(metrics(task.folder).reads_total.value).toBe(2 * 3 * 100);
  expect(metrics(task.folder).assigned_fragments.value).toBe(3 * 100);
});

test('single-end reads are counted by their only end', async () => {
  const { r1 } = run.reads('single', 80, changes);
  const task = await makeTask({ storage: run.storage, id: 'single', panel: run.panel, samples: [{ name: 'S', r1 }] });
  for (const step of ['reads', 'cohort', 'call']) expect((await task.run(step)).exit).toBe(0);
  expect(metrics(task.folder).assigned_fragments.value).toBe(3 * 80);
  const calls = passCalls(unzip(`${task.folder}/samples/S/call/calls.vcf.gz`));
  expect(calls.map(({ allele }) => allele)).toEqual([`c1:470 ${changes[0]!.ref}>${changes[0]!.alt}`]);
});

describe('a BAM', () => {
  let bam: string;
  let fromFastq: string;
  beforeAll(async () => {
    const sample = { name: 'S', ...run.reads('source', 120, changes) };
    const task = await makeTask({ storage: run.storage, id: 'source', panel: run.panel, samples: [sample] });
    expect((await task.run('reads')).exit).toBe(0);
    fromFastq = task.folder;
    bam = `${task.folder}/samples/S/reads/reads.bam`;
  });

  test('has the sample as read group, with any earlier name, and no paths', () => {
    const header = execFileSync('samtools', ['view', '-H', '--no-PG', bam]).toString();
    expect(header.match(/^@RG.*$/gm)).toEqual(['@RG\tID:S\tSM:S\tLB:S\tPL:ILLUMINA']);
    expect(header).not.toContain(run.storage);
  });

  test('with other contig names is matched by sequence, renamed and counted like its FASTQ', async () => {
    const sam = execFileSync('samtools', ['view', '-h', '--no-PG', bam]).toString();
    const other = sam
      .replace(/^@RG.*$/m, '@RG\tID:elsewhere\tSM:somebody')
      .replaceAll('RG:Z:S', 'RG:Z:elsewhere')
      .replaceAll('SN:c1', 'SN:contig_one')
      .replaceAll('\tc1\t', '\tcontig_one\t');
    const renamed = join(run.storage, 'renamed.bam');
    writeFileSync(`${renamed}.sam`, other);
    execFileSync('samtools', ['view', '-b', '--no-PG', '-o', renamed, `${renamed}.sam`]);
    const samples = [{ name: 'S', bam: renamed }];
    const task = await makeTask({ storage: run.storage, id: 'bam', panel: run.panel, samples, source: 'bam' });
    const { exit, output } = await task.run('reads');
    expect({ exit, output: exit === 0 ? '' : output }).toEqual({ exit: 0, output: '' });
    const table = (folder: string, file: string): string => unzip(`${folder}/samples/S/reads/${file}`);
    for (const file of ['pileup.tsv.gz', 'candidates.tsv.gz'])
      expect(table(task.folder, file)).toBe(table(fromFastq, file));
    const header = execFileSync('samtools', ['view', '-H', `${task.folder}/samples/S/reads/reads.bam`]).toString();
    expect(header).toContain('SN:c1\t');
    expect(header).not.toContain('elsewhere');
  });

  test.each([
    ['c1', 'c1 has 5000 bp'],
    ['zz', 'it has no contig c1'],
  ])('of another genome is refused by the contig that tells it: %s', async (contig, reason) => {
    const sam = execFileSync('samtools', ['view', '-h', '--no-PG', bam]).toString();
    const other = join(run.storage, `other-${contig}.bam`);
    const text = sam.replace(/^@SQ.*$/m, `@SQ\tSN:${contig}\tLN:5000`).replaceAll('\tc1\t', `\t${contig}\t`);
    writeFileSync(`${other}.sam`, text);
    execFileSync('samtools', ['view', '-b', '--no-PG', '-o', other, `${other}.sam`]);
    const samples = [{ name: 'S', bam: other }];
    const id = `other-${contig}`;
    const task = await makeTask({ storage: run.storage, id, panel: run.panel, samples, source: 'bam' });
    const { exit, message } = await task.run('reads');
    expect(exit).toBe(2);
    expect(message.message).toBe(
      `other-${contig}.bam: is aligned to another genome: ${reason}; tiny has c1 with 3000 bp`,
    );
  });

  test('that was changed after the launch is rejected', async () => {
    const late = join(run.storage, 'late.bam');
    writeFileSync(late, readFileSync(bam));
    const samples = [{ name: 'S', bam: late }];
    const task = await makeTask({ storage: run.storage, id: 'late-bam', panel: run.panel, samples, source: 'bam' });
    const sam = execFileSync('samtools', ['view', '-h', '--no-PG', '-s', '0.5', late]).toString();
    writeFileSync(`${late}.sam`, sam);
    execFileSync('samtools', ['view', '-b', '--no-PG', '-o', `${run.storage}/projects/g/p/late.bam`, `${late}.sam`]);
    const { exit, message } = await task.run('reads');
    expect(exit).toBe(2);
    expect(message.message).toBe('late.bam: has changed since the task was launched. Launch it again.');
  });

  test('that is truncated is rejected', async () => {
    const cut = join(run.storage, 'cut.bam');
    writeFileSync(cut, readFileSync(bam).subarray(0, -40));
    const samples = [{ name: 'S', bam: cut }];
    const task = await makeTask({ storage: run.storage, id: 'cut-bam', panel: run.panel, samples, source: 'bam' });
    const { exit, message } = await task.run('reads');
    expect(exit).toBe(2);
    expect(message.message).toBe('cut.bam: truncated BAM file: no end-of-file block. Upload it again.');
  });
});
