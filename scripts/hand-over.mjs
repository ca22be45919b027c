// Runs a program of the repository on Node 24 and waits for its end, even when this process receives a signal.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, NODE, ROOT, requireNode20 } from './install.mjs';

/** Installs Node 24 with the npm packages if it is missing. */
export function prepareNode() {
  requireNode20();
  if (!existsSync(NODE)) installPackages();
}

/** Exits with the program's exit code. */
export function handOver(program, args) {
  const child = spawn(NODE, ['--disable-warning=ExperimentalWarning', program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  // The terminal sends Ctrl-C to both processes. This one waits until the other has cleaned up.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}
