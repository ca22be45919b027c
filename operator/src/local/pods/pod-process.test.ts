/** Exit codes of a pod's program, and a machine that cannot start processes. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INIT, NO_PROCESS, startPodProcess } from './pod-process.ts';

const codeOf = (line: string[]): number | null => spawnSync(line[0]!, line.slice(1), { stdio: 'ignore' }).status;

test('the exit code is that of the program', () => {
  expect(codeOf([...INIT, 'true'])).toBe(0);
  expect(codeOf([...INIT, 'sh', '-c', 'exit 2'])).toBe(2);
  expect(codeOf([...INIT, 'sh', '-c', 'kill -TERM $$'])).toBe(143);
});

test('a machine that cannot start processes is not reported as bad input', () => {
  // The limit does not apply to root.
  const user = process.getuid!() === 0 ? ['setpriv', '--reuid', '54321', '--clear-groups'] : [];
  expect(codeOf([...user, 'prlimit', '--nproc=1:1', ...INIT, 'true'])).toBe(NO_PROCESS);
});

test('[K8S-20] when memory runs out, the kernel kills a step before the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-pod-process-'));
  const log = openSync(join(folder, 'log'), 'w');
  const command = ['sh', '-c', 'cat /proc/self/oom_score_adj; exit 7'];
  const env = { PATH: process.env['PATH'] ?? '' };
  expect(await startPodProcess(command, folder, env, log).exit).toBe(7);
  closeSync(log);
  expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('1000\n');
  rmSync(folder, { recursive: true });
});
