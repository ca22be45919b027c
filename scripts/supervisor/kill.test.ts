/**
 * SIGKILL at a random moment: the Job still ends with the right counts, no index runs twice at once, and no process is
 * left.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Job } from '@seqpanel/crds/kube/core-types.ts';

const ROUNDS = Number(process.env['SEQPANEL_KILL_ROUNDS'] ?? 3);
const INDEXES = 20;

const program = (folder: string) => `
import { startLocalControlPlane } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../operator/src/local/control-plane.ts')).href)};
const controlPlane = await startLocalControlPlane({
  dataDir: ${JSON.stringify(folder)}, storageDir: ${JSON.stringify(join(folder, 'storage'))},
  jobBackoffMs: 50, capacity: { cpu: 3, memory: 2 ** 30 },
});
console.log(JSON.stringify({ url: controlPlane.url, token: controlPlane.token }));
`;

async function start(folder: string): Promise<{ child: ChildProcess; url: string; token: string }> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program(folder)];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const [line] = (await Promise.race([once(child.stdout!, 'data'), ended])) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as { url: string; token: string }) };
}

/** Locks the index while it runs, to detect a second runner of the index. */
const STEP = `
exec 9>"$SEQPANEL_STORAGE/lock-$JOB_COMPLETION_INDEX"
flock -n 9 || { echo "$JOB_COMPLETION_INDEX" >> "$SEQPANEL_STORAGE/twice"; exit 1; }
sleep 0.15 | cat
echo "$JOB_COMPLETION_INDEX" >> "$SEQPANEL_STORAGE/done"
`;

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'killed' },
  spec: {
    completionMode: 'Indexed',
    completions: INDEXES,
    parallelism: 3,
    backoffLimitPerIndex: 0,
    podFailurePolicy: {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
    },
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'step', image: 'none:1', command: ['bash', '-c', STEP], resources: { requests: { cpu: '1' } } },
        ],
      },
    },
  },
};

const processesNaming = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });

describe('a control plane that is killed', () => {
  test.each(Array.from({ length: ROUNDS }, (_, i) => i + 1))(
    '[K8S-20][K8S-31] round %i: the Job of 20 indexes ends whole after SIGKILL at random moments',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'seqpanel-kill-'));
      let server = await start(folder);
      const call = async (method: string, path: string, body?: unknown) => {
        const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
        const answer = await fetch(server.url + path, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        return (await answer.json()) as Job;
      };
      try {
        await call('POST', '/apis/batch/v1/namespaces/default/jobs', JOB);
        for (let kill = 0; kill < 3; kill++) {
          const { promise, resolve } = Promise.withResolvers<void>();
          setTimeout(resolve, Math.random() * 500);
          await promise;
          const gone = once(server.child, 'exit');
          server.child.kill('SIGKILL');
          await gone;
          server = await start(folder);
        }
        const path = '/apis/batch/v1/namespaces/default/jobs?watch=true&fieldSelector=metadata.name=killed';
        const watch = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` } });
        let text = '';
        for await (const part of watch.body!) {
          text += Buffer.from(part).toString();
          if (/"type":"(Complete|Failed)"/.test(text)) break;
        }
        const { status } = await call('GET', '/apis/batch/v1/namespaces/default/jobs/killed');
        expect(status?.conditions?.at(-1)).toMatchObject({ type: 'Complete', status: 'True' });
        expect(status).toMatchObject({
          succeeded: INDEXES,
          completedIndexes: '0-19',
          failedIndexes: '',
          ready: 0,
          terminating: 0,
        });
        expect(status?.failed ?? 0).toBe(0);
        expect(existsSync(join(folder, 'storage/twice'))).toBe(false);
        const done = new Set(readFileSync(join(folder, 'storage/done'), 'utf8').trim().split('\n'));
        expect(done.size).toBe(INDEXES);
        const gone = once(server.child, 'exit');
        server.child.kill('SIGKILL');
        await gone;
        // The kernel ends the pods' processes one after another, which takes a moment.
        const until = Date.now() + 2000;
        while (processesNaming(`SEQPANEL_LOCAL_RUNNER=${folder}`).length > 0 && Date.now() < until)
          await setImmediate();
        expect(processesNaming(`SEQPANEL_LOCAL_RUNNER=${folder}`)).toEqual([]);
      } finally {
        server.child.kill('SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      }
    },
    180_000,
  );
});
