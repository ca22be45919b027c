/** npm start as run by systemd or a container: the signal reaches npm's process, not ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { processesOf } from '../support/processes.ts';
import { freePort, ROOT } from '../support/product.ts';

const START_MS = 120_000;
const STOP_MS = 30_000;

async function until(what: string, ms: number, test: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await wait(100);
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function started(dataDir: string): Promise<{ npm: ChildProcess; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const npm = spawn('npm', ['start', '--', '--no-demo'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '', SEQPANEL_DATA: dataDir, SEQPANEL_PORT: String(port) },
  });
  await until('the product answers', START_MS, () => answers(url));
  return { npm, url };
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s to the npm process of npm start stops the whole product and frees its port',
  async (signal) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'seqpanel-npm-start-'));
    try {
      const { npm, url } = await started(dataDir);
      expect(processesOf(dataDir).length).toBeGreaterThan(2);
      npm.kill(signal);
      if (npm.exitCode === null && npm.signalCode === null) await once(npm, 'exit');
      await until('no process of the product is left', STOP_MS, () => processesOf(dataDir).length === 0);
      expect(await answers(url)).toBe(false);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  START_MS + 2 * STOP_MS,
);
