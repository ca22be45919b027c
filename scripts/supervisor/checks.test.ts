import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDataFolder, makeSocketFolder, StartError } from './checks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-checks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const noWord = (line: string): void => {
  throw new Error(`unexpected: ${line}`);
};

test('a new data folder is closed to other users of the machine', () => {
  const data = join(folder, 'data');
  makeDataFolder(data, noWord);
  expect(modeOf(data)).toBe('700');
});

test('a data folder that an earlier release left open is closed', () => {
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'lock.db'), '');
  chmodSync(data, 0o755);
  makeDataFolder(data, noWord);
  expect(modeOf(data)).toBe('700');
});

test('an open folder with files of other users is unchanged, with a warning', () => {
  const lines: string[] = [];
  writeFileSync(join(folder, 'thesis.txt'), '');
  chmodSync(folder, 0o755);
  makeDataFolder(folder, (line) => lines.push(line));
  expect(modeOf(folder)).toBe('755');
  expect(lines).toEqual([expect.stringContaining(`chmod 0700 ${folder}`)]);
});

test('a socket folder is created private and reused', () => {
  const sockets = join(folder, 'run');
  makeSocketFolder(sockets);
  makeSocketFolder(sockets);
  expect(modeOf(sockets)).toBe('700');
});

test('a socket folder open to other users, or a link to one, is rejected', () => {
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(() => makeSocketFolder(open)).toThrow(StartError);
  const target = join(folder, 'target');
  mkdirSync(target, { mode: 0o700 });
  symlinkSync(target, join(folder, 'link'));
  expect(() => makeSocketFolder(join(folder, 'link'))).toThrow(StartError);
});
