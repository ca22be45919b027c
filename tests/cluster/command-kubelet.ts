/**
 * A kubelet without containers for tests: it registers a node with the API server and runs the command of each pod
 * bound to it as a process of this machine, writing the pod's status as the kubelet does (phases, exit codes,
 * termination message, DeadlineExceeded, grace on deletion). So a Job manifest causes the same events on a real
 * control plane and on the local one. With a storage folder the pod's volumes are folders of this machine, so that the
 * product's own step programs run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { heartbeat, registerNode } from './command-node.ts';
import { containerStatus, envOf, now, type PodPlace, placed, readMessage, ready } from './command-pod.ts';
import type { KubeHttp, KubeObject } from './kube-http.ts';

export type { PodPlace };

export interface CommandKubelet {
  node: string;
  /** Simulates a lost machine: kills its pods' processes and stops reporting. */
  vanish(): void;
  stop(): Promise<void>;
}

const LEASE_SECONDS = 10;
const RETRY_MS = 200;

interface RunningPod {
  /** Absent until it is started. */
  process?: ChildProcess;
  /** Set when the pod's active deadline ended it. */
  overdue: boolean;
  /** Set when its end was requested before its start. */
  unwanted: boolean;
  /** Set when another client wrote the terminal phase, which a kubelet never overwrites. */
  settled: boolean;
  ended: Promise<void>;
  timers: NodeJS.Timeout[];
}

/**
 * Registers the node and starts. `size`: resources for the scheduler. `placeOf`: storage and programs for the pods of
 * a namespace; without it their commands run unchanged.
 */
export async function startCommandKubelet(
  kube: KubeHttp,
  node: string,
  size = { cpu: '16', memory: '16Gi', 'ephemeral-storage': '1Ti', pods: '500' },
  placeOf: (namespace: string) => PodPlace | undefined = () => undefined,
): Promise<CommandKubelet> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-kubelet-'));
  const running = new Map<string, RunningPod>();
  const seen = new Set<string>();
  await registerNode(kube, node, size);
  const renew = setInterval(() => void heartbeat(kube, node, size).catch(() => undefined), (LEASE_SECONDS * 1000) / 2);

  const onPod = (type: string, pod: KubeObject) => {
    const uid = pod.metadata.uid as string;
    if (type === 'DELETED') return end(running.get(uid), 0);
    if (!seen.has(uid)) {
      seen.add(uid);
      if (pod.metadata.deletionTimestamp) void remove(pod);
      else running.set(uid, run(pod));
      return;
    }
    const live = running.get(uid);
    if (live && ['Succeeded', 'Failed'].includes(pod.status?.phase)) {
      live.settled = true;
      end(live, 0);
    }
    if (pod.metadata.deletionTimestamp) {
      if (live) {
        end(live, pod.metadata.deletionGracePeriodSeconds ?? 0);
        void live.ended.then(() => remove(pod)).catch(() => undefined);
      } else void remove(pod);
    }
  };
  const path = (pod: KubeObject) => `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}`;
  let gone = false;
  let halted = false;
  /** Retries a call until the API server answers, as a kubelet does. */
  const insist = async (method: string, path: string, body: unknown, type?: string) => {
    for (;;) {
      try {
        return await kube.call(method, path, body, type);
      } catch (error) {
        if (halted) throw error;
        await wait(RETRY_MS);
      }
    }
  };
  const write = async (pod: KubeObject, status: unknown) => {
    if (gone) return;
    const body = { metadata: { uid: pod.metadata.uid }, status };
    const answer = await insist('PATCH', `${path(pod)}/status`, body, 'application/strategic-merge-patch+json');
    if (answer.status >= 300 && answer.status !== 404 && answer.status !== 409) throw new Error(answer.body.message);
  };
  const remove = async (pod: KubeObject) => {
    if (gone) return;
    await insist('DELETE', path(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } });
  };

  const run = (pod: KubeObject): RunningPod => {
    const container = pod.spec.containers[0];
    const log = join(folder, pod.metadata.uid);
    const startedAt = now();
    const live: RunningPod = {
      ...{ overdue: false, unwanted: false, settled: false, timers: [] },
      ended: Promise.resolve(),
    };
    /** Resolves with a promise of the exit when the process has started. */
    const start = async (): Promise<{ exit: Promise<number> }> => {
      const place = placeOf(pod.metadata.namespace);
      const { command, env, output } = place
        ? await placed(kube, pod, place, folder)
        : { command: [...container.command, ...(container.args ?? [])], env: envOf(pod, container), output: undefined };
      if (live.unwanted) return { exit: Promise.resolve(137) };
      const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
        detached: true, // its own process group, so that signals reach its children
        stdio: ['ignore', output ?? 'ignore', output ?? 'ignore'],
        env: { ...process.env, ...env, SEQPANEL_TERMINATION_LOG: log },
      });
      if (output !== undefined) closeSync(output);
      live.process = child;
      const exit = new Promise<number>((resolve) => {
        child.on('error', () => resolve(127));
        child.on('exit', (code, signal) => resolve(code ?? 128 + (SIGNALS[signal ?? 'SIGKILL'] ?? 9)));
      });
      return { exit };
    };
    const deadline = pod.spec.activeDeadlineSeconds as number | undefined;
    if (deadline) {
      live.timers.push(
        setTimeout(() => {
          live.overdue = true;
          end(live, pod.spec.terminationGracePeriodSeconds);
        }, deadline * 1000),
      );
    }
    live.ended = (async () => {
      const { exit } = await start();
      await write(pod, {
        phase: 'Running',
        startTime: startedAt,
        conditions: ready(true),
        containerStatuses: [containerStatus(container, { running: { startedAt } }, true)],
      });
      const exitCode = await exit;
      for (const timer of live.timers) clearTimeout(timer);
      if (live.settled) return;
      const message = readMessage(log);
      const terminated = {
        exitCode,
        reason: exitCode === 0 ? 'Completed' : 'Error',
        ...(message && { message }),
        startedAt,
        finishedAt: now(),
      };
      await write(pod, {
        phase: exitCode === 0 && !live.overdue ? 'Succeeded' : 'Failed',
        ...(live.overdue && {
          reason: 'DeadlineExceeded',
          message: 'Pod was active on the node longer than the specified deadline',
        }),
        conditions: ready(false),
        containerStatuses: [containerStatus(container, { terminated }, false)],
      });
    })().finally(() => {
      running.delete(pod.metadata.uid);
      // A deadline of hours would prevent the test process from exiting.
      live.timers.forEach(clearTimeout);
    });
    live.ended.catch(() => undefined);
    return live;
  };

  let watch: ReturnType<KubeHttp['watch']> | undefined;
  const selection = `fieldSelector=spec.nodeName%3D${node}`;
  /** Lists, then watches. Starts again when the server disconnects. */
  const follow = async (): Promise<void> => {
    const { items, metadata } = await kube.get(`/api/v1/pods?${selection}`);
    const there = new Set(items.map((pod: KubeObject) => pod.metadata.uid));
    for (const [uid, live] of running) if (!there.has(uid)) end(live, 0);
    for (const pod of items) onPod('ADDED', pod);
    watch = kube.watch(`/api/v1/pods?watch=true&${selection}&resourceVersion=${metadata.resourceVersion}`);
    if (halted) watch.stop();
    for await (const event of watch.events) if (event.type !== 'ERROR') onPod(event.type, event.object);
  };
  const watching = (async () => {
    while (!halted) {
      await follow().catch(() => undefined);
      if (!halted) await wait(RETRY_MS);
    }
  })();

  const halt = () => {
    halted = true;
    clearInterval(renew);
    watch?.stop();
  };
  return {
    node,
    vanish: () => {
      gone = true;
      halt();
      for (const live of running.values()) end(live, 0);
    },
    stop: async () => {
      halt();
      await watching;
      const all = [...running.values()];
      for (const live of all) end(live, 0);
      await Promise.allSettled(all.map((live) => live.ended));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const SIGNALS: Record<string, number> = { SIGTERM: 15, SIGKILL: 9 };
/** Sends SIGTERM, then SIGKILL after `graceSeconds`. */
function end(live: RunningPod | undefined, graceSeconds: number): void {
  if (live) live.unwanted = true;
  const pid = live?.process?.pid;
  if (!live || pid === undefined) return;
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal);
    } catch {
      // it has already ended
    }
  };
  send(graceSeconds === 0 ? 'SIGKILL' : 'SIGTERM');
  if (graceSeconds > 0) live.timers.push(setTimeout(() => send('SIGKILL'), graceSeconds * 1000).unref());
}
