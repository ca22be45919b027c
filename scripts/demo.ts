/** The demo of npm start, as serve.ts runs it once: `node demo.ts URL DATA_FOLDER`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logIn } from '../operator/src/local/demo/rest-client.ts';
import { runDemo } from '../operator/src/local/demo/run-demo.ts';
import { openTerminal } from '../operator/src/local/demo/terminal.ts';
import { demoDone, firstPassword } from './first-start.ts';

const [url, dataDir] = process.argv.slice(2) as [string, string];
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
const terminal = openTerminal();
try {
  const admin = firstPassword(dataDir);
  if (!admin) throw new Error('the first administrator has a password of their own');
  const client = await logIn(url, admin.username, admin.password);
  const demoProgram = join(import.meta.dirname, '..', 'pipeline-images', 'bin', 'seqpanel-demo');
  const storageDir = join(dataDir, 'storage');
  await runDemo(client, { storageDir, demoProgram, terminal, signal: ending.signal });
  writeFileSync(demoDone(dataDir), '');
} catch (error) {
  if (!ending.signal.aborted)
    terminal.line(`The demo stopped: ${(error as Error).message}. The next npm start takes it up again.`);
}
process.exit(0);
