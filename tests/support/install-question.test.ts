/**
 * Missing programs on a machine where the user is not root. `sudo` is a script that creates a file when it is called.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './product.ts';

const NOBODY = 65534;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-install-'));
  chmodSync(folder, 0o777);
  for (const name of ['sudo', 'apt-get'])
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${folder}/${name}-was-called\n`, { mode: 0o755 });
  writeFileSync(
    join(folder, 'ask.mjs'),
    `import { tryInstallTools } from ${JSON.stringify(join(ROOT, 'scripts', 'install.mjs'))};
console.log(tryInstallTools([['no-such-program', 'no-such-package']]) ?? 'installed');\n`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (): string[] => {
  const node = [process.execPath, join(folder, 'ask.mjs')];
  return process.getuid?.() === 0
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...node]
    : node;
};
const env = () => ({ ...process.env, NODE_OPTIONS: '', PATH: `${folder}:${process.env['PATH']}` });

/** util-linux' script simulates the terminal for the answer. */
function atTerminal(answer: string): string {
  const line = command().join(' ');
  return spawnSync('script', ['-qec', line, '/dev/null'], { env: env(), input: `${answer}\n`, encoding: 'utf8' })
    .stdout;
}

test('without a terminal sudo is not run; the command to run is printed', () => {
  const [program, ...args] = command();
  const { stdout } = spawnSync(program!, args, { env: env(), input: 'y\n', encoding: 'utf8' });
  expect(stdout).toContain('sudo apt-get install --no-install-recommends no-such-package');
  expect(existsSync(join(folder, 'sudo-was-called'))).toBe(false);
});

test('at a terminal sudo runs after a yes', () => {
  expect(atTerminal('y')).toContain('[y/N]');
  expect(existsSync(join(folder, 'sudo-was-called'))).toBe(true);
});

test('at a terminal sudo does not run after any other answer', () => {
  expect(atTerminal('')).toContain('start again');
  expect(existsSync(join(folder, 'sudo-was-called'))).toBe(false);
});
