// Installs what npm start and npm test need before any code of the product can run. Plain JavaScript for Node 20
// without packages, because it installs both.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
export const NODE = join(ROOT, 'node_modules', '.bin', 'node');

/** Exits with a message that names the problem and its solution. */
export function refuse(message) {
  console.error(message);
  process.exit(1);
}

export function requireNode20() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20)
    refuse(
      `Node ${process.versions.node} is too old: install Node 20 or newer (apt-get install nodejs), then start again.`,
    );
}

/** Installs npm packages once per content of the lock file. Keeps a tree that npm itself installed from it. */
export function installPackages() {
  const marker = join(ROOT, 'node_modules', '.installed');
  const lockFile = join(ROOT, 'package-lock.json');
  const lock = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  if (existsSync(marker) && existsSync(NODE) && readFileSync(marker, 'utf8') === lock) return;
  // npm writes this file last, so a newer one than the lock file means a complete tree.
  const byNpm = join(ROOT, 'node_modules', '.package-lock.json');
  if (
    !existsSync(marker) &&
    existsSync(byNpm) &&
    existsSync(NODE) &&
    statSync(byNpm).mtimeMs > statSync(lockFile).mtimeMs
  )
    return;
  console.log('Installing npm packages from the lock file (about two minutes the first time)…');
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: ROOT, stdio: 'inherit' });
  if (done.status !== 0)
    refuse('npm ci failed: see its message above. Check the connection to the npm registry, then start again.');
  writeFileSync(marker, lock);
}

/** Whether a program is on PATH, or a file exists if the name is a path. */
function isThere(program) {
  if (program.startsWith('/')) return existsSync(program);
  return (process.env.PATH ?? '').split(delimiter).some((dir) => {
    try {
      accessSync(join(dir, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Returns the rows of a debian-packages.txt: program and package. */
export function debianTools(folder) {
  return readFileSync(join(ROOT, folder, 'debian-packages.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
}

export const missingTools = (tools) => tools.filter(([program]) => !isThere(program));

/** Asks the user at the terminal. Returns false without a terminal or without a clear yes. */
function agrees(question) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  process.stdout.write(`${question}\n[y/N] `);
  const answer = spawnSync('sh', ['-c', 'read -r answer </dev/tty && printf %s "$answer"'], {
    stdio: ['inherit', 'pipe', 'inherit'],
    encoding: 'utf8',
  }).stdout;
  return /^y(es)?$/i.test(answer.trim());
}

/**
 * Installs the Debian packages of missing programs. If it cannot, returns what the user should do. Uses sudo only after
 * the user at the terminal agrees.
 */
export function tryInstallTools(tools) {
  const missing = missingTools(tools);
  if (missing.length === 0) return undefined;
  const packages = [...new Set(missing.map(([, name]) => name))];
  const line = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  const names = missing.map(([program]) => program).join(', ');
  if (!isThere('apt-get'))
    return `Missing programs: ${names}. Install them with your system's package manager, then start again.`;
  const root = process.getuid?.() === 0;
  if (!root && !(isThere('sudo') && agrees(`Missing programs: ${names}. Run this now?\n  sudo ${line}`)))
    return `Missing programs: ${names}. Run this, then start again:\n  sudo ${line}`;
  console.log(`Installing ${packages.join(', ')} from Debian packages…`);
  const apt = (...args) =>
    spawnSync(root ? 'apt-get' : 'sudo', [...(root ? [] : ['apt-get']), ...args], {
      stdio: [root ? 'ignore' : 'inherit', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  apt('update', '-qq');
  if (apt('install', '-y', '-qq', '--no-install-recommends', ...packages)) return undefined;
  return `Installation failed. Run this by hand, then start again:\n  sudo ${line}`;
}

/** Same as tryInstallTools, but exits when required programs cannot be installed. */
export function installTools(tools) {
  const problem = tryInstallTools(tools);
  if (problem) refuse(problem);
}
