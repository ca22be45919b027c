/** How a pod's first process tells of its program, and of a machine that has no room for one. */
import { spawnSync } from 'node:child_process';
import { INIT, NO_PROCESS } from './pod-process.ts';

const codeOf = (line: string[]): number | null => spawnSync(line[0]!, line.slice(1), { stdio: 'ignore' }).status;

test('the exit code is that of the program', () => {
  expect(codeOf([...INIT, 'true'])).toBe(0);
  expect(codeOf([...INIT, 'sh', '-c', 'exit 2'])).toBe(2);
  expect(codeOf([...INIT, 'sh', '-c', 'kill -TERM $$'])).toBe(143);
});

test('a machine that starts no more processes is not told as bad input', () => {
  // The limit does not hold for root.
  const user = process.getuid!() === 0 ? ['setpriv', '--reuid', '54321', '--clear-groups'] : [];
  expect(codeOf([...user, 'prlimit', '--nproc=1:1', ...INIT, 'true'])).toBe(NO_PROCESS);
});
