/** Tests bin/seqpanel-step with test programs instead of the steps. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMAND = join(import.meta.dirname, '../../bin/seqpanel-step');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-step-command-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'src'));
  copyFileSync(COMMAND, join(folder, 'bin/seqpanel-step'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the program. With `prefix`, as the first process of a container. */
function start(program: string, memoryMiB = '', prefix: string[] = []): { child: ChildProcess; output: () => string } {
  writeFileSync(join(folder, 'src/main.ts'), program);
  const [command, ...args] = [...prefix, 'sh', join(folder, 'bin/seqpanel-step'), 'reads'];
  const env = { ...process.env, NODE_OPTIONS: '', SEQPANEL_MEMORY_MIB: memoryMiB };
  const child = spawn(command!, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return { child, output: () => output };
}
const ended = async ({ child }: { child: ChildProcess }): Promise<number | null> => (await once(child, 'close'))[0];

test('[K8S-20] the heap limit follows the memory of the pod', async () => {
  const print = `import v8 from 'node:v8'; console.log(Math.round(v8.getHeapStatistics().heap_size_limit / 2 ** 20));`;
  const limit = async (memory: string) => {
    const run = start(print, memory);
    expect(await ended(run)).toBe(0);
    return Number(run.output());
  };
  // V8 adds up to 192 MiB for its young generation.
  for (const [memory, heap] of [
    ['1024', 768],
    ['8192', 6144],
  ] as const) {
    const found = await limit(memory);
    expect(found).toBeGreaterThanOrEqual(heap);
    expect(found).toBeLessThanOrEqual(heap + 192);
  }
  expect(await limit('not a number')).toBeGreaterThan(0);
});

test.each([
  ['of a process among others', []],
  ['of the first process of a container', ['unshare', '--user', '--map-current-user', '--pid', '--fork']],
])('[K8S-20] a full heap %s exits with 134 and prints the words that the operator recognizes', async (_, prefix) => {
  const fill = `const all: object[] = []; for (;;) all.push(new Array(1e5).fill(0).map((_, i) => ({ i })));`;
  const run = start(fill, '100', prefix);
  expect(await ended(run)).toBe(134);
  expect(run.output().slice(-2048)).toMatch(/heap out of memory|OOMErrorHandler/);
});

test('[K8S-20] forwards SIGTERM to the program and exits with its exit code', async () => {
  const wait = `process.on('SIGTERM', () => setTimeout(() => process.exit(143), 300)); setInterval(() => {}, 1e6); console.log('ready');`;
  const run = start(wait);
  while (!run.output().includes('ready')) await new Promise((done) => setTimeout(done, 20));
  run.child.kill('SIGTERM');
  expect(await ended(run)).toBe(143);
  expect(await ended(start('process.exit(2)'))).toBe(2);
});
