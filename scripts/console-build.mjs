// Builds the console when its sources are newer than its build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, refuse } from './install.mjs';

const SOURCES = [
  'console/src',
  'console/index.html',
  'console/vite.config.ts',
  'console/public',
  'console/scripts',
  'api/openapi',
  'crds/src',
  'package-lock.json',
  'pipeline-images/debian-packages.txt',
];

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(
    0,
    ...readdirSync(path)
      .filter((name) => name !== 'generated')
      .map((name) => newest(join(path, name))),
  );
}

export function buildConsole() {
  const index = join(ROOT, 'console', 'dist', 'index.html');
  const changed = Math.max(...SOURCES.map((source) => newest(join(ROOT, source))));
  if (existsSync(index) && statSync(index).mtimeMs > changed) return;
  console.log('Building the console…');
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}` };
  const built = spawnSync('npm', ['run', '-s', 'build', '-w', 'console'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) refuse('The console could not be built: see the message above.');
  utimesSync(index, new Date(), new Date());
}
