/** Runs the demo once for npm start, called by serve.ts: `node demo.ts URL DATA_FOLDER`. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logIn } from './demo/rest-client.ts';
import { runDemo } from './demo/run-demo.ts';
import { openTerminal } from './demo/terminal.ts';
import { demoAccountFile, demoDone, readLogin } from './first-start.ts';

const [url, dataDir] = process.argv.slice(2) as [string, string];
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
const terminal = openTerminal();
try {
  const account = readLogin(demoAccountFile(dataDir));
  if (!account) throw new Error('the demo account was not created, see api.log');
  const client = await logIn(url, account.username, account.password);
  const demoProgram = join(import.meta.dirname, '..', 'pipeline-images', 'bin', 'seqpanel-demo');
  const storageDir = join(dataDir, 'storage');
  await runDemo(client, { storageDir, demoProgram, terminal, signal: ending.signal });
  writeFileSync(demoDone(dataDir), '');
  // The next start disables the account. Its password is deleted now, so nobody can use it until then.
  rmSync(demoAccountFile(dataDir), { force: true });
  await client.logOut();
} catch (error) {
  if (!ending.signal.aborted)
    terminal.line(`The demo stopped: ${(error as Error).message}. The next npm start resumes it.`);
}
process.exit(0);
