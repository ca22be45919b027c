import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTools } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const toolLines: string[] = [];
const make = (signal = new AbortController().signal) =>
  createTools({
    cwd: folder,
    log: { tool: (from, line) => toolLines.push(`${from}: ${line}`) },
    signal,
    hide: [folder],
  });

test('joins programs by pipes and names the first that fails, with its last message', async () => {
  const tools = make();
  writeFileSync(join(folder, 'in.txt'), 'b\na\n');
  await tools.run({ tool: 'cat', args: ['in.txt'] }, { tool: 'sort', args: [], stdout: 'out.txt' });
  expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('a\nb\n');
  const failing = tools.run({ tool: 'cat', args: [`${folder}/no such file`] }, { tool: 'sort', args: [] });
  await expect(failing).rejects.toMatchObject({ tool: 'cat', exit: 1 });
  expect(toolLines.at(-1)).toBe("cat: cat: 'no such file': No such file or directory");
});

test('reports a writer whose reader ended early as SIGPIPE', async () => {
  const running = make().run({ tool: 'yes', args: [] }, { tool: 'head', args: ['-n', '1'] });
  await expect(running).rejects.toMatchObject({ tool: 'yes', exit: 141 });
});

test('reports a full disk as such', async () => {
  const running = make().run({ tool: 'dd', args: ['if=/dev/zero', 'of=/dev/full', 'count=1'] });
  await expect(running).rejects.toMatchObject({ name: 'DiskFull' });
});

test('an abort stops every program of a pipe', async () => {
  const stop = new AbortController();
  const running = make(stop.signal).run({ tool: 'sleep', args: ['60'] }, { tool: 'sleep', args: ['61'] });
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: 'Terminated' });
});

test('records each command line once, without local paths', async () => {
  const tools = make();
  await tools.capture({ tool: 'samtools', args: ['--version'], stdin: `${folder}/in.txt` });
  await tools.capture({ tool: 'samtools', args: ['--version'], stdin: `${folder}/in.txt` });
  expect(await tools.used()).toEqual([
    { name: 'samtools', version: expect.stringMatching(/^\d+\./), command: 'samtools --version < in.txt' },
  ]);
});
