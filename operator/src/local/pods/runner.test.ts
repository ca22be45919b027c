/** Pods as processes, observed through the API. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, getPriority, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { type LocalControlPlane, startLocalControlPlane } from '../control-plane.ts';
import type { Obj } from '../objects/metadata.ts';

type LivePod = Pod & Obj;
const PODS = '/api/v1/namespaces/default/pods';

let folder: string;
let server: LocalControlPlane;
const options = () => ({ dataDir: folder, storageDir: join(folder, 'storage'), capacity: { cpu: 8, memory: 2 ** 30 } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-runner-'));
  server = await startLocalControlPlane(options());
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call<T = LivePod>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const answer = await fetch(server.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

const text = async (path: string): Promise<string> =>
  (await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` } })).text();

/** Returns the pod's first state for which `until` is true, from its watch, optionally from a version on. */
async function seen(name: string, until: (pod: LivePod, type: string) => boolean, from = ''): Promise<LivePod> {
  const answer = await fetch(
    `${server.url}${PODS}?watch=true&resourceVersion=${from}&fieldSelector=metadata.name=${name}`,
    {
      headers: { authorization: `Bearer ${server.token}` },
    },
  );
  let buffer = '';
  for await (const part of answer.body!) {
    const lines = (buffer + Buffer.from(part).toString()).split('\n');
    buffer = lines.pop()!;
    for (const line of lines) {
      const event = JSON.parse(line) as { type: string; object: LivePod };
      if (until(event.object, event.type)) return event.object;
    }
  }
  throw new Error('the watch ended');
}

const ended = (pod: LivePod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
const terminated = (pod: LivePod) => pod.status?.containerStatuses?.[0]?.state?.terminated;
type Container = NonNullable<Pod['spec']>['containers'][number];
const run = (
  name: string,
  command: string[],
  container: Partial<Container> = {},
  spec: Partial<NonNullable<Pod['spec']>> = {},
) =>
  call('POST', PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { which: name } },
    spec: { restartPolicy: 'Never', ...spec, containers: [{ name: 'main', image: 'none:1', command, ...container }] },
  });

const alive = (marker: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(marker);
      } catch {
        return false;
      }
    });

describe('a pod', () => {
  test('[K8S-21][K8S-31] gets its variables, its volumes and the storage folder by rewritten paths', async () => {
    await call('POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'spec' },
      data: { 'task.json': '{"task":"t"}' },
    });
    await run(
      'env',
      [
        'sh',
        '-c',
        'cat "$0"; printf "|%s|%s|%s|%s" "$LABEL" "$UIDOF" "$OUT" "$CPUS"; printf done > $SEQPANEL_TERMINATION_LOG',
        '/etc/seqpanel/task.json',
      ],
      {
        env: [
          { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['which']" } } },
          { name: 'UIDOF', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
          { name: 'OUT', value: '/storage/$(LABEL)/x' },
          { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'requests.cpu' } } },
        ],
        resources: { requests: { cpu: '1500m' } },
        volumeMounts: [
          { name: 'spec', mountPath: '/etc/seqpanel' },
          { name: 'storage', mountPath: '/storage' },
        ],
      },
      {
        volumes: [
          { name: 'spec', configMap: { name: 'spec' } },
          { name: 'storage', persistentVolumeClaim: { claimName: 'c' } },
        ],
      },
    );
    const pod = await seen('env', ended);
    expect(terminated(pod)).toMatchObject({ exitCode: 0, reason: 'Completed', message: 'done' });
    const out = join(folder, 'storage/env/x');
    expect(await text(`${PODS}/env/log`)).toBe(`{"task":"t"}|env|${pod.metadata.uid}|${out}|2`);
  });

  test('waits for a missing ConfigMap and reports it in an event', async () => {
    const volumes = [{ name: 'v', configMap: { name: 'late' } }];
    await run('waits', ['cat', '/v/a'], { volumeMounts: [{ name: 'v', mountPath: '/v' }] }, { volumes });
    const waiting = await seen('waits', (pod) => pod.status?.containerStatuses !== undefined);
    expect(waiting.status?.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });
    const events = await call<{ items: { message: string }[] }>(
      'GET',
      '/api/v1/namespaces/default/events?fieldSelector=reason=FailedMount',
    );
    expect(events.items[0]?.message).toBe('MountVolume.SetUp failed for volume "v" : configmap "late" not found');
    await call('POST', '/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'late' },
      data: { a: 'here' },
    });
    expect((await seen('waits', ended)).status?.phase).toBe('Succeeded');
    expect(await text(`${PODS}/waits/log`)).toBe('here');
  });

  test('that is deleted gets SIGTERM, may end by itself, and is removed', async () => {
    await run('polite', [
      'bash',
      '-c',
      'trap "echo bye; exit 0" TERM; echo up; while :; do read -t 9 <> <(:) || :; done',
    ]);
    await seen('polite', (pod) => pod.status?.phase === 'Running');
    const log = await fetch(`${server.url}${PODS}/polite/log?follow=true`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    let output = '';
    for await (const part of log.body!) {
      output += Buffer.from(part).toString();
      if (output === 'up\n') void call('DELETE', `${PODS}/polite?gracePeriodSeconds=20`);
    }
    expect(output).toBe('up\nbye\n');
    await expect(call('GET', `${PODS}/polite`)).rejects.toThrow('not found');
  });

  test('that exceeds its grace period is killed with all its child processes', async () => {
    const pod = await run('deaf', ['bash', '-c', 'trap "" TERM; sleep 300 | sleep 301 & sleep 302']);
    const { metadata } = await seen('deaf', (one) => one.status?.phase === 'Running');
    await call('DELETE', `${PODS}/deaf?gracePeriodSeconds=1`);
    await seen('deaf', (_, type) => type === 'DELETED', metadata.resourceVersion);
    expect(alive(`SEQPANEL_POD_UID=${pod.metadata.uid}`)).toEqual([]);
  }, 20_000);

  test('past its deadline is Failed with DeadlineExceeded', async () => {
    await run('slow', ['sleep', '60'], {}, { activeDeadlineSeconds: 1 });
    const pod = await seen('slow', ended);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(terminated(pod)).toMatchObject({ exitCode: 143, reason: 'Error' });
  });

  test('that fails without a termination message reports the end of its log when its policy asks for it', async () => {
    const noisy = ['sh', '-c', 'seq 1 1000; echo last words; exit 7'];
    await run('falls-back', noisy, { terminationMessagePolicy: 'FallbackToLogsOnError' });
    await run('silent', noisy);
    const state = terminated(await seen('falls-back', ended));
    expect(state).toMatchObject({ exitCode: 7, message: expect.stringMatching(/^922\n[\s\S]*1000\nlast words\n$/) });
    expect(terminated(await seen('silent', ended))?.message).toBeUndefined();
    expect(await text(`${PODS}/silent/log?tailLines=2`)).toBe('1000\nlast words\n');
  });

  test('whose program does not exist fails with StartError', async () => {
    await run('missing', ['no-such-program']);
    expect(terminated(await seen('missing', ended))).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: 'exec: "no-such-program": executable file not found in $PATH',
    });
  });

  test('[K8S-20] that ran when the control plane stopped is Failed with DisruptionTarget after the next start', async () => {
    const pod = await run('lost', ['bash', '-c', 'trap "" TERM; sleep 300']);
    await seen('lost', (one) => one.status?.phase === 'Running');
    await server.stop();
    expect(alive(`SEQPANEL_POD_UID=${pod.metadata.uid}`)).toEqual([]);
    server = await startLocalControlPlane(options());
    const after = await call('GET', `${PODS}/lost`);
    expect(after.status?.phase).toBe('Failed');
    expect(after.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
    );
  });

  test('runs at nice 10', async () => {
    await run('nice', ['nice']);
    await seen('nice', ended);
    expect(await text(`${PODS}/nice/log`)).toBe(`${Math.min(getPriority() + 10, 19)}\n`);
  });
});

describe('pod overhead', () => {
  test('[K8S-31] is under 0.25 s per pod and 0.3 s per Job, watched from create to Complete', async () => {
    const JOBS = '/apis/batch/v1/namespaces/default/jobs';
    const time = async (name: string, completions: number): Promise<number> => {
      const from = performance.now();
      const container = { name: 'main', image: 'none:1', command: ['true'] };
      await call('POST', JOBS, {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name },
        spec: {
          completionMode: 'Indexed',
          completions,
          parallelism: 1,
          template: { spec: { restartPolicy: 'Never', containers: [container] } },
        },
      });
      const answer = await fetch(`${server.url}${JOBS}?watch=true&fieldSelector=metadata.name=${name}`, {
        headers: { authorization: `Bearer ${server.token}` },
      });
      for await (const part of answer.body!)
        if (Buffer.from(part).includes('"Complete"')) return performance.now() - from;
      throw new Error('the watch ended');
    };
    const one = await time('one', 1);
    const many = await time('many', 20);
    console.log(`one Job of one pod: ${one.toFixed(0)} ms; each pod of a Job of 20: ${(many / 20).toFixed(0)} ms`);
    // On an otherwise idle machine.
    const busy = Math.max(1, loadavg()[0]! / availableParallelism());
    expect(one).toBeLessThan((300 + 250) * busy);
    expect(many / 20).toBeLessThan(250 * busy);
  });
});
