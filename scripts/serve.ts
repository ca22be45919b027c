/**
 * Behind npm start, on Node 24: runs the product until Ctrl-C or SIGTERM, says where it is and how to log in, and on a
 * data folder whose demo has not ended runs the demo. `--no-demo` leaves that out.
 */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { supervisorConfig } from '../operator/src/local/config.ts';
import { logIn } from '../operator/src/local/demo/rest-client.ts';
import { runDemo } from '../operator/src/local/demo/run-demo.ts';
import { openTerminal } from '../operator/src/local/demo/terminal.ts';
import { startSupervisor } from '../operator/src/local/supervisor.ts';

const KNOWN = new Set(['--no-demo']);
const unknown = process.argv.slice(2).find((argument) => !KNOWN.has(argument));
if (unknown) {
  console.error(`${unknown} is not known; npm start takes --no-demo, the settings are in the README.`);
  process.exit(1);
}

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
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
  const password = firstPassword(join(supervisor.dataDir, 'first-admin.txt'));
  if (password) {
    terminal.line(`First administrator: username ${password.username}, one-time password ${password.password}`);
    terminal.line(`(also in ${join(supervisor.dataDir, 'first-admin.txt')} until the password is changed)`);
  }
  const done = join(supervisor.dataDir, 'demo-done');
  if (!process.argv.includes('--no-demo') && !existsSync(done)) {
    if (password) {
      await demo(supervisor.url, supervisor.storageDir, password, done);
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

async function demo(
  url: string,
  storageDir: string,
  admin: { username: string; password: string },
  done: string,
): Promise<void> {
  try {
    const client = await logIn(url, admin.username, admin.password);
    const demoProgram = join(import.meta.dirname, '..', 'pipeline-images', 'bin', 'seqpanel-demo');
    await runDemo(client, { storageDir, demoProgram, terminal, signal: ending.signal });
    writeFileSync(done, '');
  } catch (error) {
    if (!ending.signal.aborted)
      terminal.line(`The demo stopped: ${(error as Error).message}. The next npm start takes it up again.`);
  }
}

/** The file that the api writes for the first administrator; absent once the password was changed. */
function firstPassword(path: string): { username: string; password: string } | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  const username = /username:\s*(\S+)/i.exec(text)?.[1];
  const password = /password:\s*(\S+)/i.exec(text)?.[1];
  return username && password ? { username, password } : undefined;
}
