// npm start: installs what is missing, then starts the supervisor (scripts/supervisor/supervisor.ts) on Node 24, which
// runs the product until Ctrl-C. On an empty data folder the demo then runs through the public API.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildConsole } from './console-build.mjs';
import { debianTools, installPackages, installTools, NODE, ROOT, requireNode20 } from './install.mjs';

requireNode20();
installPackages();
installTools(debianTools('pipeline-images'));
buildConsole();

const PARENT_POLL_MS = 500;
const child = spawn(
  NODE,
  ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts', 'serve.ts'), ...process.argv.slice(2)],
  {
    cwd: ROOT,
    // The product stops when this channel closes, so it cannot outlive this process, even after a SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'node_modules', '.cache', 'compile'),
    },
  },
);
const stop = () => child.kill('SIGTERM');
// The terminal sends Ctrl-C to both processes. The supervisor stops everything in order and this process waits for it.
process.on('SIGINT', () => {});
process.on('SIGTERM', stop);
process.on('SIGHUP', stop);
// npm forwards signals. After a SIGKILL of npm, which it cannot forward, this process has another parent.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) stop();
}, PARENT_POLL_MS).unref();
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)));
