/** The demo of npm start, as serve.ts runs it once: `node demo.ts URL DATA_FOLDER`. */
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
  if (!account) throw new Error("the demo's account was not made: see api.log");
  const client = await logIn(url, account.username, account.password);
  const demoProgram = join(import.meta.dirname, '..', 'pipeline-images', 'bin', 'seqpanel-demo');
  const storageDir = join(dataDir, 'storage');
  await runDemo(client, { storageDir, demoProgram, terminal, signal: ending.signal });
  writeFileSync(demoDone(dataDir), '');
  // The next start disables the account; until then nobody has its password.
  rmSync(demoAccountFile(dataDir), { force: true });
  await client.logOut();
} catch (error) {
  if (!ending.signal.aborted)
    terminal.line(`The demo stopped: ${(error as Error).message}. The next npm start takes it up again.`);
}
process.exit(0);
