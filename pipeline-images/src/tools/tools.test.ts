import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const heard: string[] = [];
const make = (signal = new AbortController().signal) =>
  createTools({
    cwd: folder,
    log: { info: () => undefined, tool: (from, line) => heard.push(`${from}: ${line}`) },
    signal,
    hide: [folder],
  });

test('programs of a pipe are joined, and the first that fails is named with its last words', async () => {
  const tools = make();
  writeFileSync(join(folder, 'in.txt'), 'b\na\n');
  await tools.run({ tool: 'cat', args: ['in.txt'] }, { tool: 'sort', args: [], stdout: 'out.txt' });
  expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('a\nb\n');
  const failing = tools.run({ tool: 'cat', args: [`${folder}/no such file`] }, { tool: 'sort', args: [] });
  await expect(failing).rejects.toMatchObject({ tool: 'cat', exit: 1 });
  expect(heard.at(-1)).toBe("cat: cat: 'no such file': No such file or directory");
});

test('a program that ends early does not count as a failure of the one that feeds it by more than its broken pipe', async () => {
  const running = make().run({ tool: 'yes', args: [] }, { tool: 'head', args: ['-n', '1'] });
  await expect(running).rejects.toMatchObject({ tool: 'yes', exit: 141 });
});

test('a full disk is told apart', async () => {
  const running = make().run({ tool: 'dd', args: ['if=/dev/zero', 'of=/dev/full', 'count=1'] });
  await expect(running).rejects.toMatchObject({ name: 'DiskFull' });
});

test('an abort stops every program of the pipe', async () => {
  const stop = new AbortController();
  const running = make(stop.signal).run({ tool: 'sleep', args: ['60'] }, { tool: 'sleep', args: ['61'] });
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: 'Terminated' });
});

test('command lines are kept once, without the folders of this machine', async () => {
  const tools = make();
  await tools.capture({ tool: 'samtools', args: ['--version'], stdin: `${folder}/in.txt` });
  await tools.capture({ tool: 'samtools', args: ['--version'], stdin: `${folder}/in.txt` });
  expect(await tools.used()).toEqual([
    { name: 'samtools', version: expect.stringMatching(/^\d+\./), command: 'samtools --version < in.txt' },
  ]);
});
