import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { keepResults } from './keep-results.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const KEY = 'a'.repeat(64);
const READS = 'samples/S/reads';
let storage: string;
beforeEach(() => {
  storage = mkdtempSync(join(tmpdir(), 'seqpanel-keep-'));
});
afterEach(() => rmSync(storage, { recursive: true, force: true }));

const at = (...path: string[]): string => join(storage, ...path);
const entry = (...path: string[]): string => at('kept/g1', KEY, ...path);
const inode = (path: string): number => statSync(path).ino;
const keep = (id: string) => keepResults(storage, { id, group: 'g1' }, NOW);

/** Writes a finished step like a pod. */
function leave(task: string, files: Record<string, string>, more: Record<string, unknown> = {}, dir = READS): string {
  const folder = at('tasks', task, dir);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const outputs = Object.entries(files).map(([path, text]) => ({
    path,
    sha256: createHash('sha256').update(text).digest('hex'),
    size: text.length,
    type: 'table',
  }));
  writeFileSync(join(folder, 'result.json'), JSON.stringify({ fingerprint: KEY, reused: false, outputs, ...more }));
  return folder;
}

test('a result is stored once: task and group share the file, and either can be removed', async () => {
  const folder = leave('t1', { 'reads.bam': 'bam', 'deep/er.tsv': 'x' });
  expect(await keep('t1')).toBe(1);
  for (const path of ['reads.bam', 'deep/er.tsv']) {
    expect(inode(entry(path))).toBe(inode(join(folder, path)));
    expect(statSync(entry(path)).nlink).toBe(2);
  }
  expect(await keep('t1')).toBe(1);
  expect(readdirSync(at('kept/g1'))).toEqual([KEY]);
  rmSync(at('tasks/t1'), { recursive: true });
  expect(readFileSync(entry('reads.bam'), 'utf8')).toBe('bam');
});

test('the copy of a later task becomes the same file, with its origin and the time of use', async () => {
  leave('t1', { 'reads.bam': 'bam' });
  await keepResults(storage, { id: 't1', group: 'g1' }, new Date(0));
  const second = leave('t2', { 'reads.bam': 'bam' }, { reused: true });
  expect(inode(join(second, 'reads.bam'))).not.toBe(inode(entry('reads.bam')));
  await keep('t2');
  expect(inode(join(second, 'reads.bam'))).toBe(inode(entry('reads.bam')));
  expect(statSync(entry('reads.bam')).nlink).toBe(3);
  expect(statSync(entry()).mtime).toEqual(NOW);
  expect(readdirSync(second).sort()).toEqual(['reads.bam', 'result.json']);
  rmSync(at('kept'), { recursive: true });
  expect(readFileSync(join(second, 'reads.bam'), 'utf8')).toBe('bam');
});

test('an unusable kept result is replaced by the newly computed one', async () => {
  leave('t1', { 'reads.bam': 'bam' });
  await keep('t1');
  rmSync(at('tasks/t1'), { recursive: true });
  writeFileSync(entry('reads.bam'), 'BAM');
  const second = leave('t2', { 'reads.bam': 'bam' });
  await keep('t2');
  expect(inode(entry('reads.bam'))).toBe(inode(join(second, 'reads.bam')));
  expect(readdirSync(at('kept/g1'))).toEqual([KEY]);
});

test('an unfinished result, or one changed after its end, is not kept', async () => {
  const folder = leave('t1', { 'reads.bam': 'bam' });
  writeFileSync(join(folder, 'reads.bam'), 'longer');
  mkdirSync(at('tasks/t1/.work/pod/reads-S'), { recursive: true });
  cpSync(folder, at('tasks/t1/cohort'), { recursive: true });
  rmSync(at('tasks/t1/cohort/result.json'));
  expect(await keep('t1')).toBe(0);
  expect(existsSync(at('kept'))).toBe(false);
});

test('a link made by a step gives no access to files of other tasks or groups', async () => {
  const secret = leave('theirs', { 'reads.bam': 'bam' });
  const folder = leave('t1', { 'reads.bam': 'bam' });
  rmSync(join(folder, 'reads.bam'));
  symlinkSync(join(secret, 'reads.bam'), join(folder, 'reads.bam'));
  leave('t1', { 'a.tsv': 'a' }, { outputs: [{ path: '../../theirs/samples/S/reads/reads.bam', size: 3 }] }, 'joint');
  leave('t1', { 'a.tsv': 'a' }, { fingerprint: '../g2/stolen' }, 'qc');
  symlinkSync(at('tasks/theirs/samples'), at('tasks/t1/cohort'));
  expect(await keep('t1')).toBe(0);
  expect(existsSync(at('kept'))).toBe(false);
});
