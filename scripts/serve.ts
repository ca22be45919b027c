/**
 * Behind npm start, on Node 24: runs the product until Ctrl-C or SIGTERM, says where it is and how to log in, and on a
 * data folder whose demo has not ended runs the demo. `--no-demo` leaves that out.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { supervisorConfig } from '../operator/src/local/config.ts';
import { openTerminal } from '../operator/src/local/demo/terminal.ts';
import { startSupervisor } from '../operator/src/local/supervisor/supervisor.ts';
import { demoDone, firstAdminFile, firstPassword } from './first-start.ts';

const KNOWN = new Set(['--no-demo']);
const unknown = process.argv.slice(2).find((argument) => !KNOWN.has(argument));
if (unknown) {
  console.error(`${unknown} is not known; npm start takes --no-demo, the settings are in the README.`);
  process.exit(1);
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
// npm start holds the other end of the channel.
process.on('disconnect', () => ending.abort());
const terminal = openTerminal();
const started = Date.now();

try {
  const supervisor = await startSupervisor({
    ...supervisorConfig(process.env),
    signal: ending.signal,
    say: (line) => terminal.line(line),
    onReady: (part) => terminal.progress(`${part} is ready`),
  });
  terminal.line(`SeqPanel is ready after ${((Date.now() - started) / 1000).toFixed(1)} s: ${supervisor.url}`);
  const password = firstPassword(supervisor.dataDir);
  if (password) {
    terminal.line(`First administrator: username ${password.username}, one-time password ${password.password}`);
    terminal.line(`(also in ${firstAdminFile(supervisor.dataDir)} until the password is changed)`);
  }
  if (!process.argv.includes('--no-demo') && !existsSync(demoDone(supervisor.dataDir))) {
    if (password) {
      await demo(supervisor.url, supervisor.dataDir);
    } else {
      terminal.line('The demo is left out: the first administrator has a password of their own.');
    }
  }
  if (!ending.signal.aborted) terminal.line('Ctrl-C stops everything.');
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  await supervisor.stop();
  process.exit(0);
} catch (error) {
  if (ending.signal.aborted) process.exit(0);
  terminal.line((error as Error).message);
  process.exit(1);
}

/** In a process of its own, whose memory goes with it. */
async function demo(url: string, dataDir: string): Promise<void> {
  const program = join(import.meta.dirname, 'demo.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, url, dataDir], {
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  ending.signal.addEventListener('abort', () => child.kill());
  await ended;
}
