/**
 * Runs the product for npm start, on Node 24, until Ctrl-C or SIGTERM. Prints its address and how to log in, and runs
 * the demo if it has not finished on this data folder. `--no-demo` skips the demo.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openTerminal } from './demo/terminal.ts';
import { demoAccountFile, demoDone, firstAdminFile, readLogin } from './first-start.ts';
import { supervisorConfig } from './supervisor/config.ts';
import { startSupervisor } from './supervisor/supervisor.ts';

const KNOWN = new Set(['--no-demo']);
const unknown = process.argv.slice(2).find((argument) => !KNOWN.has(argument));
if (unknown) {
  console.error(`Unknown option ${unknown}. npm start accepts --no-demo; see the README for settings.`);
  process.exit(1);
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
// npm start holds the other end of the channel.
process.on('disconnect', () => ending.abort());
const terminal = openTerminal();
const started = Date.now();

try {
  const config = supervisorConfig(process.env);
  const runsDemo = !process.argv.includes('--no-demo') && !existsSync(demoDone(config.dataDir));
  if (!runsDemo) rmSync(demoAccountFile(config.dataDir), { force: true });
  const supervisor = await startSupervisor({
    ...config,
    // Without the file the api disables the account.
    env: runsDemo ? { SEQPANEL_DEMO_ACCOUNT_FILE: demoAccountFile(config.dataDir) } : {},
    signal: ending.signal,
    say: (line) => terminal.line(line),
    onReady: (part) => terminal.progress(`${part} is ready`),
  });
  terminal.line(`SeqPanel is ready after ${((Date.now() - started) / 1000).toFixed(1)} s: ${supervisor.url}`);
  const admin = readLogin(firstAdminFile(supervisor.dataDir));
  if (admin) {
    terminal.line(`First administrator: username ${admin.username}, one-time password ${admin.password}`);
    terminal.line(`(also in ${firstAdminFile(supervisor.dataDir)} until the password is changed)`);
  }
  if (runsDemo) await demo(supervisor.url, supervisor.dataDir);
  if (!ending.signal.aborted) terminal.line('Ctrl-C stops everything.');
  if (!ending.signal.aborted) await once(ending.signal, 'abort');
  await supervisor.stop();
  process.exit(0);
} catch (error) {
  if (ending.signal.aborted) process.exit(0);
  terminal.line((error as Error).message);
  process.exit(1);
}

/** Runs in a separate process, whose memory is freed at its end. */
async function demo(url: string, dataDir: string): Promise<void> {
  const program = join(import.meta.dirname, 'demo.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, url, dataDir], {
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  ending.signal.addEventListener('abort', () => child.kill());
  await ended;
}
