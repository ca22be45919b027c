import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { keepResults } from '../../api/src/storage/keep-results.ts';
import { makeTask } from '../support/pipeline-task.ts';
import { makeTinyRun, type PlantedChange, passCalls, type TinyRun } from '../support/tiny-run.ts';

let run: TinyRun;
beforeAll(async () => {
  run = await makeTinyRun();
});
afterAll(() => rm(run.storage, { recursive: true, force: true }));

const other = (base: string): string => (base === 'A' ? 'C' : 'A');
const result = (folder: string, dir: string) => JSON.parse(readFileSync(`${folder}/${dir}/result.json`, 'utf8'));
const SECONDARY = ['reads', 'cohort', 'call', 'joint'];

test('[K8S-21][K8S-22] planted changes are called with their frequency, two in one codon as one MNV; a rerun with another threshold reuses the reads', async () => {
  const at = (pos: number, length = 1): string => run.bases(pos, pos + length - 1);
  const changes: PlantedChange[] = [
    { pos: 470, ref: at(470), alt: other(at(470)), vaf: 0.5 },
    { pos: 1080, ref: at(1080, 3), alt: other(at(1080)) + at(1081) + other(at(1082)), vaf: 0.25 },
    { pos: 1680, ref: at(1680, 5), alt: at(1680), vaf: 0.1 },
  ];
  const sample = { name: 'S', ...run.reads('planted', 400, changes) };
  const first = await makeTask({ storage: run.storage, id: 'first', panel: run.panel, samples: [sample] });
  for (const step of SECONDARY) expect((await first.run(step)).exit).toBe(0);
  const calls = passCalls(gunzipSync(readFileSync(`${first.folder}/samples/S/call/calls.vcf.gz`)).toString());
  expect(calls.map(({ vaf, depth }) => [vaf, depth])).toEqual([
    [0.5, 400],
    [0.25, 400],
    [0.1, 400],
  ]);
  expect(calls[1]!.allele).toBe(`c1:1080 ${changes[1]!.ref}>${changes[1]!.alt}`);

  const { outputs, tools } = result(first.folder, 'samples/S/reads');
  expect(outputs.map(({ path }: { path: string }) => path)).toContain('reads.bam');
  expect(tools).toContainEqual({
    name: 'minimap2',
    version: expect.stringMatching(/^\d/),
    command: 'minimap2 -t 1 -ax sr --secondary=no references/tiny/genome.sr.mmi -',
  });

  // As the api does when the task has ended.
  await keepResults(run.storage, { id: 'first', group: 'g' }, new Date());
  const second = await makeTask({
    storage: run.storage,
    id: 'second',
    panel: run.panel,
    samples: [sample],
    parameters: { report_floor: 0.2 },
  });
  for (const step of SECONDARY) expect((await second.run(step)).exit).toBe(0);
  expect(result(second.folder, 'samples/S/reads')).toMatchObject({ reused: true });
  expect(result(second.folder, 'samples/S/call')).toMatchObject({ reused: false });
  const bam = (folder: string): number => statSync(`${folder}/samples/S/reads/reads.bam`).ino;
  expect(bam(second.folder)).toBe(bam(first.folder));
  await rm(first.folder, { recursive: true });
  expect(statSync(`${second.folder}/samples/S/reads/reads.bam`).size).toBeGreaterThan(0);
});

test('the same inputs give the same bytes', async () => {
  const sample = { name: 'S', ...run.reads('twice', 60) };
  const hashes = [];
  for (const id of ['once', 'again']) {
    const task = await makeTask({ storage: run.storage, id, panel: run.panel, samples: [sample] });
    const env = { SEQPANEL_CPUS: id === 'once' ? '1' : '2' };
    for (const step of SECONDARY) expect((await task.run(step, env)).exit).toBe(0);
    hashes.push(
      ['samples/S/reads', 'cohort', 'samples/S/call', 'joint'].map((dir) =>
        result(task.folder, dir).outputs.map((output: { path: string; sha256: string }) => [
          output.path,
          output.sha256,
        ]),
      ),
    );
  }
  expect(hashes[0]).toEqual(hashes[1]);
}, 240_000);

test('an index that is started twice leaves one result', async () => {
  const sample = { name: 'S', ...run.reads('race', 200) };
  const task = await makeTask({ storage: run.storage, id: 'race', panel: run.panel, samples: [sample] });
  const ends = await Promise.all([
    task.run('reads', { SEQPANEL_POD_UID: 'pod-a' }),
    task.run('reads', { SEQPANEL_POD_UID: 'pod-b' }),
  ]);
  expect(ends.map(({ exit }) => exit)).toEqual([0, 0]);
  const { outputs } = result(task.folder, 'samples/S/reads');
  for (const { path, size } of outputs) expect(statSync(`${task.folder}/samples/S/reads/${path}`).size).toBe(size);
  expect(readdirSync(`${task.folder}/samples/S`)).toEqual(['reads']);
  expect(readdirSync(`${task.folder}/.work`)).toEqual([]);
});

test('SIGKILL leaves no results, and the next pod removes the leftovers', async () => {
  const sample = { name: 'S', ...run.reads('killed', 2000) };
  const task = await makeTask({ storage: run.storage, id: 'killed', panel: run.panel, samples: [sample] });
  const { pid, end } = task.start('reads', { SEQPANEL_POD_UID: 'dead' });
  const work = `${task.folder}/.work/dead`;
  while (!existsSync(`${work}/reads-S`)) await new Promise((next) => setImmediate(next));
  process.kill(pid, 'SIGKILL');
  expect((await end).exit).toBe(137);
  expect(existsSync(`${task.folder}/samples/S/reads`)).toBe(false);
  mkdirSync(work, { recursive: true });
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(work, hourAgo, hourAgo);
  expect((await task.run('reads', { SEQPANEL_POD_UID: 'next' })).exit).toBe(0);
  expect(readdirSync(`${task.folder}/.work`)).toEqual([]);
});

/** Returns the ids of a process's descendants, with the names of their programs. */
function below(pid: number): { pid: number; name: string }[] {
  const list = (file: string): string => {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch {
      return '';
    }
  };
  return list(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .flatMap((child) => [{ pid: child, name: list(`/proc/${child}/comm`) }, ...below(child)]);
}

test('a killed program of the pipe ends the step with a retryable error, and no other program keeps running', async () => {
  const sample = { name: 'S', ...run.reads('tool', 4000) };
  const task = await makeTask({ storage: run.storage, id: 'tool', panel: run.panel, samples: [sample] });
  const { pid, end } = task.start('reads', { SEQPANEL_POD_UID: 'tool' });
  let programs = below(pid);
  while (!programs.some(({ name }) => name === 'minimap2') || !programs.some(({ name }) => name === 'samtools')) {
    await new Promise((next) => setImmediate(next));
    programs = below(pid);
  }
  process.kill(programs.find(({ name }) => name === 'minimap2')!.pid, 'SIGKILL');
  const { exit, message } = await end;
  expect({ exit, outcome: message.outcome }).toEqual({ exit: 1, outcome: 'error' });
  expect(message.message).toMatch(/^minimap2 failed with exit code 137/);
  expect(existsSync(`${task.folder}/samples/S/reads`)).toBe(false);
  expect(programs.filter((program) => existsSync(`/proc/${program.pid}`))).toEqual([]);
});

test('SIGTERM ends the programs of the pipe and is never reported as bad input', async () => {
  const sample = { name: 'S', ...run.reads('stopped', 2000) };
  const task = await makeTask({ storage: run.storage, id: 'stopped', panel: run.panel, samples: [sample] });
  const { pid, end } = task.start('reads', { SEQPANEL_POD_UID: 'stopped' });
  while (!existsSync(`${task.folder}/.work/stopped/reads-S`)) await new Promise((next) => setImmediate(next));
  process.kill(pid, 'SIGTERM');
  const { exit, message } = await end;
  expect({ exit, code: message.code }).toEqual({ exit: 143, code: 'terminated' });
  expect(existsSync(`${task.folder}/samples/S/reads`)).toBe(false);
  expect(readdirSync(`${task.folder}/.work`)).toEqual([]);
});

test('[K8S-21] a resource created again with the name of an old task changes nothing in its folder', async () => {
  const sample = { name: 'S', ...run.reads('claimed', 60) };
  const old = await makeTask({ storage: run.storage, id: 'claimed', panel: run.panel, samples: [sample] });
  expect((await old.run('reads')).exit).toBe(0);
  const files = () =>
    readdirSync(old.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.endsWith('/task.json'))
      .sort()
      .map((path) => [path, statSync(path).mtimeMs]);
  const before = files();
  const spec = JSON.parse(readFileSync(old.specFile, 'utf8')) as { uid: string };
  writeFileSync(old.specFile, JSON.stringify({ ...spec, uid: 'another' }));
  const { exit, message } = await old.run('reads');
  expect([exit, message.code]).toEqual([2, 'task_folder_claimed']);
  expect(files()).toEqual(before);
});

test('the log of a step starts with the ids of its launch', async () => {
  const sample = { name: 'S', ...run.reads('ids', 20) };
  const task = await makeTask({ storage: run.storage, id: 'ids', panel: run.panel, samples: [sample] });
  expect((await task.run('reads', { SEQPANEL_REQUEST_ID: 'req-1' })).exit).toBe(0);
  expect(readFileSync(`${task.folder}/logs/reads-S.log`, 'utf8').split('\n')[0]).toMatch(
    / reads: SEQPANEL_REQUEST_ID=req-1$/,
  );
});
